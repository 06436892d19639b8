#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// What a person should know of an experiment before it runs and its readers could not say: one
/// line each. `validate` and `run` show these, and `summary.json` keeps them behind
/// `spec.warnings`.
[[nodiscard]] std::vector<std::string> experiment_warnings(const ExperimentSpec& spec);

}  // namespace berth::experiments
