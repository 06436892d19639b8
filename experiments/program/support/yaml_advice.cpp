#include "experiments/program/support/yaml_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <utility>
#include <vector>

namespace berth::experiments {

using core::Value;

std::string_view line_of(std::string_view text, int line) {
    for (int at = 1; at < line; ++at) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(end + 1);
    }
    return text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
}

namespace {

/// The column, from 1, at which a line begins; 0 for a line that is empty or a comment.
int first_column(std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string_view::npos || line[first] == '#' ? 0 : static_cast<int>(first) + 1;
}

/// The column at which the last line above begins that is neither empty nor a comment.
int column_above(std::string_view text, int line) {
    int column = 0;
    while (column == 0 && --line > 0) {
        column = first_column(line_of(text, line));
    }
    return column;
}

/// The last value of a list or map; nullptr if it is empty.
const Value* last_of(const Value& value) {
    return !value.items.empty()     ? &value.items.back()
           : !value.members.empty() ? &value.members.back().value
                                    : nullptr;
}

/// The lists or maps to which a line can belong, the innermost last: those that are open, and those
/// that ended with the line above.
std::vector<const Value*> neighbours(std::span<const OpenYaml> open, Value::Kind kind) {
    std::vector<const Value*> out;
    const auto add = [&](const Value& value) {
        if (value.kind == kind && (value.is_list() || !value.members.empty())) {
            out.push_back(&value);
        }
    };
    for (const OpenYaml& around : open) {
        add(*around.value);
    }
    for (const Value* value = last_of(*open.back().value); value != nullptr;
         value = last_of(*value)) {
        add(*value);
    }
    return out;
}

struct Bracket {
    char begin = '{';
    int line = 1;
    int column = 1;
};

/// The innermost bracket that is open above a line, ignoring quotes and comments.
std::optional<Bracket> open_bracket(std::string_view text, int end) {
    std::vector<Bracket> open;
    char quote = 0;
    for (int line = 1; line < end; ++line) {
        const std::string_view here = line_of(text, line);
        char before = ' ';  // the character before a token: a space, or one that YAML allows there
        for (std::size_t i = 0; i < here.size(); before = here[i++]) {
            const char c = here[i];
            const bool begins = std::string_view(" [{,:").find(before) != std::string_view::npos;
            if (quote != 0) {
                i += quote == '"' && c == '\\' ? 1 : 0;
                quote = c == quote ? '\0' : quote;
            } else if (c == '#' && before == ' ') {
                break;
            } else if ((c == '"' || c == '\'') && begins) {
                quote = c;
            } else if ((c == '{' || c == '[') && (begins || !open.empty())) {
                open.push_back({c, line, static_cast<int>(i) + 1});
            } else if ((c == '}' || c == ']') && !open.empty()) {
                open.pop_back();
            }
        }
    }
    return open.empty() ? std::nullopt : std::optional(open.back());
}

/// The advice about a bracket that is not closed.
YamlAdvice advice_on_bracket(const Bracket& open, int line, int column) {
    const char begin = open.begin;
    const char end = begin == '[' ? ']' : '}';
    // At the end of the text, the parser reports the beginning of the bracket.
    if (std::pair(line, column) <= std::pair(open.line, open.column)) {
        return {open.line,
                open.column,
                fmt::format("this '{}' is still open at the end: expected its '{}'", begin, end)};
    }
    return {line,
            column,
            fmt::format("the '{}' of line {}, column {} is still open here: expected a ',' or its "
                        "'{}' before this",
                        begin,
                        open.line,
                        open.column,
                        end)};
}

}  // namespace

std::optional<YamlAdvice> yaml_advice(std::string_view text,
                                      int line,
                                      int column,
                                      std::span<const OpenYaml> open,
                                      std::string_view said) {
    if (open.empty()) {
        return std::nullopt;
    }
    const auto says = [&](std::string_view part) { return said.find(part) != said.npos; };
    if (open.back().flow) {
        const Value& value = *open.back().value;
        const char begin = value.is_list() ? '[' : '{';
        return advice_on_bracket({begin, value.span.line, value.span.column}, line, column);
    }
    // A dash for an entry is illegal inside brackets. The parser reports a map in brackets only at
    // its end, because it might be a key.
    if (const auto bracket =
            says("illegal block entry") ? open_bracket(text, line) : std::nullopt) {
        return advice_on_bracket(*bracket, line, column);
    }
    const std::string_view here = line_of(text, line);
    const int first = first_column(here);
    if (first == 0 || (says("illegal map value") && first == column_above(text, line))) {
        return std::nullopt;
    }
    const bool entry = here.substr(static_cast<std::size_t>(first) - 1).starts_with("- ");
    const auto around = neighbours(open, entry ? Value::Kind::list : Value::Kind::map);
    const auto distance = [&](const Value* value) { return std::abs(value->span.column - first); };
    const auto inner_first = std::views::reverse(around);
    const auto nearest = std::ranges::min_element(inner_first, {}, distance);
    if (nearest == inner_first.end() || distance(*nearest) == 0) {
        return std::nullopt;
    }
    return YamlAdvice{line,
                      first,
                      fmt::format("{} in column {}: expected column {}, as {} in line {}",
                                  entry ? "an entry of a list" : "a key",
                                  first,
                                  (*nearest)->span.column,
                                  entry ? "the list above has it"
                                        : fmt::format("'{}' is", (*nearest)->members.front().key),
                                  (*nearest)->span.line)};
}

}  // namespace berth::experiments
