#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/why/story.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What happened to a pod in a finished run, and why.
struct WhyAnswer {
    ExperimentSpec spec;
    Story story;
    std::string differs;  ///< How the new run differs from the one asked about; empty: it does not.
};

/// A run directory that is asked about.
struct AskedRun {
    ExperimentSpec spec;
    std::vector<std::string> warnings;  ///< The warnings of the experiment.
    nlohmann::ordered_json manifest;
};

/// Errors: core::InputError if it is not a run directory, or its experiment cannot be used.
[[nodiscard]] AskedRun read_asked_run(const std::filesystem::path& directory);

/// Runs the experiment of a run directory again and finds out what happened to `pod`, in
/// `replication` or in the first replication that has such a pod.
/// Returns: nothing if it was interrupted.
/// Errors:  core::InputError, with the nearest name, if there is no such pod.
[[nodiscard]] std::optional<WhyAnswer> ask_why(const std::filesystem::path& directory,
                                               AskedRun run,
                                               const std::string& pod,
                                               std::optional<std::uint32_t> replication,
                                               sim::RunControl& control);

/// The answer in the form of docs/reference/why.md.
[[nodiscard]] nlohmann::ordered_json why_json(const WhyAnswer& answer);

}  // namespace berth::experiments
