#include "core/support/text.hpp"

#include <iterator>

namespace berth::core {

std::string in_one_line(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char letter : text) {
        if (letter == '\n') {
            out += "\\n";
        } else {
            out += letter;
        }
    }
    return out;
}

void append_formatted(std::string& out, fmt::string_view form, fmt::format_args values) {
    fmt::vformat_to(std::back_inserter(out), form, values);
}

}  // namespace berth::core
