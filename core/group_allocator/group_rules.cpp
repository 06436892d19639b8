#include "core/group_allocator/group_rules.hpp"

#include <algorithm>

namespace berth::core {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Takes the digits off the head of `text` and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

std::strong_ordering compare_naturally(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view left = take_number(a);
            const std::string_view right = take_number(b);
            if (left.size() != right.size()) {
                return left.size() <=> right.size();
            }
            if (left != right) {
                return left <=> right;
            }
        } else if (a.front() != b.front()) {
            return a.front() <=> b.front();
        } else {
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.size() <=> b.size();
}

}  // namespace

std::strong_ordering compare_names(std::string_view a, std::string_view b, GroupOrder order) {
    const auto natural =
        order == GroupOrder::natural ? compare_naturally(a, b) : std::strong_ordering::equal;
    return natural != std::strong_ordering::equal ? natural : a <=> b;
}

}  // namespace berth::core
