#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/support/value.hpp"

namespace berth::experiments {

/// A line of a text, counted from 1, without its end; empty behind the last.
[[nodiscard]] std::string_view line_of(std::string_view text, int line);

/// A list or a map that a parser of YAML is still inside of.
struct OpenYaml {
    const core::Value* value = nullptr;  ///< What of it was read so far.
    bool flow = false;                   ///< It began with a bracket, not by its indentation.
};

/// Where a text that is no YAML goes wrong, and what to write instead.
struct YamlAdvice {
    int line = 1;
    int column = 1;
    std::string message;
};

/// What to say where the parser stopped, at `line` and `column`, while it was inside of `open`, the
/// outermost first: which bracket is open, or in which column a key or an entry of a list belongs.
/// Nothing where neither is the fault. `said`: what the parser said.
[[nodiscard]] std::optional<YamlAdvice> yaml_advice(std::string_view text,
                                                    int line,
                                                    int column,
                                                    std::span<const OpenYaml> open,
                                                    std::string_view said);

}  // namespace berth::experiments
