#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace berth::experiments {

/// What to know before two runs are compared: what they were not given alike, besides the policy
/// and the quotas, one line each, such as `spec.until is 24h in the baseline and 12h in this run`;
/// and what they warn of.
struct DifferingInputs {
    std::vector<std::string> work;     ///< What arrives, or from when to when is looked: then a
                                       ///< better metric may be the merit of the work.
    std::vector<std::string> cluster;  ///< Servers, failures: for questions of capacity.
    std::string doubts;                ///< What the runs themselves warn of about their means.
    std::string programs;  ///< That different builds of berth made the runs; empty: one made both.
};

/// By the experiment.yaml, the manifest.json and the summary.json of both runs; nothing of one that
/// a run lacks.
/// Errors: core::InputError when one is no YAML.
[[nodiscard]] DifferingInputs differing_inputs(const std::filesystem::path& baseline,
                                               const std::filesystem::path& run);

/// One sentence that says it first of all; empty for runs that were given the same and
/// warn of nothing.
[[nodiscard]] std::string warning_of(const DifferingInputs& inputs);

}  // namespace berth::experiments
