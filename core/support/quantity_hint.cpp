#include "core/support/quantity_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace berth::core {

std::string quantity_hint(std::string_view text) {
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
    // A thousand is a small k in Kubernetes, and 1024 a Ki.
    const char decimal = prefix == 'K' ? 'k' : prefix;
    return rest.starts_with('i')
               ? fmt::format(" (did you mean {}{}i?)", number, prefix)
               : fmt::format(" (did you mean {}{} or {}{}i?)", number, decimal, number, prefix);
}

}  // namespace berth::core
