#pragma once

#include <string_view>
#include <vector>

#include "experiments/program/commands/completion/completion.hpp"

namespace berth::experiments {

/// `PATH=`, then what may stand there, for the paths of an experiment whose values are in a list of
/// `berth list`.
[[nodiscard]] std::vector<Completion> setting_completions(const BegunValue& begun,
                                                          std::string_view detail);

}  // namespace berth::experiments
