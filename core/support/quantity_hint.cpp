#include "core/support/quantity_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace berth::core {

std::string comma_hint(std::string_view text, bool whole) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::size_t group = 3;
    const std::size_t comma = text.find_first_not_of(digits);
    if (comma == 0 || comma == std::string_view::npos || text[comma] != ',') {
        return "";
    }
    const std::string_view rest = text.substr(comma + 1);
    const std::size_t end = std::min(rest.find_first_not_of(digits), rest.size());
    if (end == 0 || rest.find(',') != std::string_view::npos || (whole && end != group)) {
        return "";
    }
    const std::string grouped = fmt::format("{}{}", text.substr(0, comma), rest);
    const std::string point = fmt::format("{}.{}", text.substr(0, comma), rest);
    return whole          ? fmt::format(" (did you mean {}?)", grouped)
           : end == group ? fmt::format(" (did you mean {} or {}?)", point, grouped)
                          : fmt::format(" (did you mean {}?)", point);
}

std::string quantity_hint(std::string_view text) {
    if (std::string hint = comma_hint(text); !hint.empty()) {
        return hint;
    }
    const std::size_t end = text.find_first_not_of("0123456789.");
    if (end == 0 || end == std::string_view::npos) {
        return "";
    }
    const std::string_view number = text.substr(0, end);
    std::string_view unit = text.substr(end);
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    if (unit.empty()) {
        return "";
    }
    const char prefix = static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front())));
    std::string rest;
    for (const char c : unit.substr(1)) {
        rest += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (std::string_view("KMGTP").find(prefix) == std::string_view::npos ||
        (!rest.empty() && rest != "b" && rest != "ib" && rest != "i")) {
        return "";
    }
    // Kubernetes writes 1000 as a small k, and 1024 as Ki.
    const char decimal = prefix == 'K' ? 'k' : prefix;
    return rest.starts_with('i')
               ? fmt::format(" (did you mean {}{}i?)", number, prefix)
               : fmt::format(" (did you mean {}{} or {}{}i?)", number, decimal, number, prefix);
}

}  // namespace berth::core
