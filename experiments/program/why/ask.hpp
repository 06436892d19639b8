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

/// What became of a pod in a run that is over, and why.
struct WhyAnswer {
    ExperimentSpec spec;
    Story story;
    std::string differs;  ///< How the run that is told of is not the one asked about; or empty.
};

/// A run directory that was asked about.
struct AskedRun {
    ExperimentSpec spec;
    std::vector<std::string> warnings;  ///< Of the experiment.
    nlohmann::json manifest;
};

/// Errors: core::InputError where it is no run directory, or its experiment cannot be used.
[[nodiscard]] AskedRun read_asked_run(const std::filesystem::path& directory);

/// Runs the experiment of a run directory again and tells what became of `pod`, in `replication` or
/// in the first in which there is such a pod.
/// Returns: nothing when it was interrupted.
/// Errors:  core::InputError where there is no such pod, with the nearest.
[[nodiscard]] std::optional<WhyAnswer> ask_why(const std::filesystem::path& directory,
                                               AskedRun run,
                                               const std::string& pod,
                                               std::optional<std::uint32_t> replication,
                                               sim::RunControl& control);

/// docs/reference/why.md.
[[nodiscard]] nlohmann::ordered_json why_json(const WhyAnswer& answer);

}  // namespace berth::experiments
