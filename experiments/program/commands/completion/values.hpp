#pragma once

#include <string_view>
#include <vector>

#include "experiments/program/commands/completion/completion.hpp"

namespace berth::experiments {

/// How to complete one value of a command line: a line of values.def.
struct ValueKind {
    std::string_view command;
    std::string_view parameter;  ///< An option's long name, or the name of a positional argument.
    std::vector<Completion> (*completions)(const BegunValue& begun, std::string_view detail);
    std::string_view detail;
};

/// Returns: nullptr for a parameter without a line.
[[nodiscard]] const ValueKind* find_value_kind(std::string_view command,
                                               std::string_view parameter);

}  // namespace berth::experiments
