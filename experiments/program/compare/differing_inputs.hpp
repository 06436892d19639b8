#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace berth::experiments {

/// Facts to know before two runs are compared: the inputs other than policy and quotas in which
/// they differ, one line each, such as `spec.until is 24h in the baseline and 12h in this run`, and
/// their warnings.
struct DifferingInputs {
    /// What arrives, or the period that is measured. If these differ, a better metric may come from
    /// the work.
    std::vector<std::string> work;
    /// Servers and failures, which differ for questions of capacity.
    std::vector<std::string> cluster;
    std::string doubts;  ///< The runs' own warnings about their means.
    /// Says that different builds of berth made the runs; empty: one build made both.
    std::string programs;
};

/// Compares the experiment.yaml, the manifest.json and the summary.json of both runs. A file that a
/// run lacks is skipped.
/// Errors: core::InputError if one of them is not YAML.
[[nodiscard]] DifferingInputs differing_inputs(const std::filesystem::path& baseline,
                                               const std::filesystem::path& run);

/// One sentence with the most important difference; empty for runs with equal inputs and without
/// warnings.
[[nodiscard]] std::string warning_of(const DifferingInputs& inputs);

}  // namespace berth::experiments
