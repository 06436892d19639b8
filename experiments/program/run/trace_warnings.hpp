#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// What the trace doctor finds in the traces of an experiment that matters to it, one line each.
/// Cost: one more pass over each trace; files above 64 MiB are not looked through, and a line says
///       so.
[[nodiscard]] std::vector<std::string> trace_warnings(const ExperimentSpec& spec);

}  // namespace berth::experiments
