#pragma once

#include <string_view>
#include <vector>

#include "experiments/program/commands/completion/completion.hpp"

namespace berth::experiments {

/// Run directories, sweep directories and the points of a sweep, and the folders on the way there.
/// `detail`: `point` where a whole sweep is nothing to name, only a point of it; otherwise empty.
/// Errors: core::InputError for a sweep whose points.csv is malformed.
[[nodiscard]] std::vector<Completion> run_completions(const BegunValue& begun,
                                                      std::string_view detail);

/// The metrics of the runs and sweeps before it; where none stands there yet, all that have a fixed
/// name.
/// Errors: core::InputError for one that cannot be read.
[[nodiscard]] std::vector<Completion> metric_completions(const BegunValue& begun,
                                                         std::string_view detail);

/// The axes of the sweep before it. `detail`: a word that may stand for none of them, or empty.
[[nodiscard]] std::vector<Completion> axis_completions(const BegunValue& begun,
                                                       std::string_view detail);

/// `AXIS=`, then the values of that axis, of the sweep before it.
[[nodiscard]] std::vector<Completion> axis_value_completions(const BegunValue& begun,
                                                             std::string_view detail);

/// The points of the sweep before it: `axis=value,axis=value`.
[[nodiscard]] std::vector<Completion> point_completions(const BegunValue& begun,
                                                        std::string_view detail);

/// The figures that can be drawn of what stands before it: of runs, of a sweep, or of either.
[[nodiscard]] std::vector<Completion> figure_completions(const BegunValue& begun,
                                                         std::string_view detail);

}  // namespace berth::experiments
