#include "experiments/program/support/path_brackets.hpp"

#include <algorithm>

namespace berth::experiments {
namespace {

constexpr char hidden_open = '\x01';
constexpr char hidden_close = '\x02';

/// Of an index, or of the name of an entry.
bool is_of_name(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || c == '/';
}

bool is_of_key(char c) {
    return (is_of_name(c) && c != '/') || c == hidden_close;
}

}  // namespace

std::string hide_path_brackets(std::string_view text) {
    std::string out(text);
    for (std::size_t open = out.find('['); open != std::string::npos;
         open = out.find('[', open + 1)) {
        std::size_t close = open + 1;
        while (close < out.size() && is_of_name(out[close])) {
            ++close;
        }
        const bool entry = close > open + 1 && close < out.size() && out[close] == ']';
        if (entry && open > 0 && is_of_key(out[open - 1])) {
            out[open] = hidden_open;
            out[close] = hidden_close;
        }
    }
    return out;
}

std::string show_path_brackets(std::string text) {
    std::ranges::replace(text, hidden_open, '[');
    std::ranges::replace(text, hidden_close, ']');
    return text;
}

}  // namespace berth::experiments
