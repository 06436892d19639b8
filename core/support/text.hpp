#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace berth::core {

/// Joins texts in order, with the separator between each two of them. `fmt::join` does the same but
/// takes ten times as long to compile: half a second in each file that calls it.
template <typename Parts>
[[nodiscard]] std::string join(const Parts& parts, std::string_view separator) {
    std::string out;
    bool first = true;
    for (const auto& part : parts) {
        if (!first) {
            out += separator;
        }
        out += std::string_view(part);
        first = false;
    }
    return out;
}

/// `text` in one line: each line break in it becomes the two characters `\n`.
[[nodiscard]] std::string in_one_line(std::string_view text);

void append_formatted(std::string& out, fmt::string_view form, fmt::format_args values);

/// Appends to `out` without an intermediate string. `fmt::format_to` with a back inserter does the
/// same, but every file that calls it compiles the whole formatter: three seconds each.
template <typename... Values>
void append(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
    append_formatted(out, form, fmt::make_format_args(values...));
}

}  // namespace berth::core
