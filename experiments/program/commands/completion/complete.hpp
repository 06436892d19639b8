#pragma once

#include <string>
#include <vector>

#include "experiments/program/commands/completion/completion.hpp"

namespace berth::experiments {

/// What the last word of a command line may become: commands, options, and values of both kinds.
///
/// `words`: those behind `berth`, without quotes; the last one is completed and may be empty.
/// Errors:  whatever reading a run that the words name throws.
[[nodiscard]] std::vector<Completion> complete(const std::vector<std::string>& words);

}  // namespace berth::experiments
