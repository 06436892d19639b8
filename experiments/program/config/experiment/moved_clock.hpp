#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Warns about each trace whose clock was moved to its first arrival without being told to, if that
/// matters: its times are since 1970, or something else in the experiment has times of its own
/// (`until`, a window, failures, changes of quotas, another source of jobs) and the clock moved by
/// at least a hundredth of the trace's length.
void warn_of_moved_clocks(const ExperimentSpec& spec, core::Diagnostics& diagnostics);

/// Notes about the moved traces for which it does not matter, one line each.
[[nodiscard]] std::vector<std::string> notes_of_moved_clocks(const ExperimentSpec& spec);

}  // namespace berth::experiments
