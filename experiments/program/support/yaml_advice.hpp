#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/support/value.hpp"

namespace berth::experiments {

/// A line of a text, counted from 1, without its line end; empty behind the last line.
[[nodiscard]] std::string_view line_of(std::string_view text, int line);

/// A list or a map that a YAML parser is still inside of.
struct OpenYaml {
    const core::Value* value = nullptr;  ///< The part of it that was read so far.
    bool flow = false;                   ///< Whether it began with a bracket, not by indentation.
};

/// Where a text that is no YAML is wrong, and what to write instead.
struct YamlAdvice {
    int line = 1;
    int column = 1;
    std::string message;
};

/// The advice for a parser that stopped at `line` and `column` inside of `open`, from the
/// outermost: which bracket is open, or in which column a key or an entry of a list belongs.
/// Nothing if neither is the fault. `said`: the message of the parser.
[[nodiscard]] std::optional<YamlAdvice> yaml_advice(std::string_view text,
                                                    int line,
                                                    int column,
                                                    std::span<const OpenYaml> open,
                                                    std::string_view said);

}  // namespace berth::experiments
