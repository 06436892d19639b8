#include "schedulers/slurm/requests/host_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace berth::experiments {
namespace {

constexpr std::size_t most_names = 1'000'000;

[[noreturn]] void refuse(std::string_view list, std::string_view why) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a host list: {}; write it as n[1-3,7]", list, why));
}

std::int64_t number_of(std::string_view digits, std::string_view list) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || digits.size() > 15 || error != std::errc() ||
        end != digits.data() + digits.size()) {
        refuse(list, fmt::format("'{}' is not a number", digits));
    }
    return number;
}

/// What is between brackets, with the commas that part it.
std::vector<std::string> numbers_in(std::string_view inner, std::string_view list) {
    std::vector<std::string> numbers;
    while (true) {
        const std::size_t comma = inner.find(',');
        const std::string_view piece = inner.substr(0, comma);
        const std::size_t dash = piece.find('-');
        const std::string_view first = piece.substr(0, dash);
        const std::string_view last =
            dash == std::string_view::npos ? first : piece.substr(dash + 1);
        const std::int64_t end = number_of(last, list);
        for (std::int64_t number = number_of(first, list); number <= end; ++number) {
            if (numbers.size() >= most_names) {
                refuse(list, "it has more than 1 000 000 names");
            }
            numbers.push_back(fmt::format("{:0{}}", number, first.size()));
        }
        if (end < number_of(first, list)) {
            refuse(list, fmt::format("{} is before {}", last, first));
        }
        if (comma == std::string_view::npos) {
            return numbers;
        }
        inner.remove_prefix(comma + 1);
    }
}

/// Adds the names of one part without commas outside of brackets.
void expand_part(std::string_view part,
                 const std::string& before,
                 std::string_view list,
                 std::vector<std::string>& names) {
    const std::size_t open = part.find('[');
    if (open == std::string_view::npos) {
        if (part.find(']') != std::string_view::npos) {
            refuse(list, "a ] has no [");
        }
        if (names.size() >= most_names) {
            refuse(list, "it has more than 1 000 000 names");
        }
        names.push_back(before + std::string(part));
        return;
    }
    const std::size_t close = part.find(']', open);
    if (close == std::string_view::npos) {
        refuse(list, "a [ has no ]");
    }
    for (const std::string& number : numbers_in(part.substr(open + 1, close - open - 1), list)) {
        expand_part(part.substr(close + 1),
                    before + std::string(part.substr(0, open)) + number,
                    list,
                    names);
    }
}

struct Numbered {
    std::string stem;
    std::string digits;
};

Numbered parts_of(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t stem = last == std::string::npos ? 0 : last + 1;
    return {name.substr(0, stem), name.substr(stem)};
}

/// Whether a number is the next one after another, as a host list counts.
bool follows(const std::string& digits, const std::string& other) {
    return digits.size() <= 15 && other.size() <= 15 && digits.size() >= other.size() &&
           std::stoll(digits) == std::stoll(other) + 1;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
    std::vector<std::string> names;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        const char c = i < list.size() ? list[i] : ',';
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (i == list.size() || (c == ',' && depth <= 0)) {
            if (const std::string_view part = list.substr(begin, i - begin); !part.empty()) {
                expand_part(part, "", list, names);
            }
            begin = i + 1;
        }
    }
    return names;
}

std::string host_list(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size();) {
        const Numbered first = parts_of(names[i]);
        std::vector<std::pair<std::string, std::string>> spans;
        std::size_t count = 0;
        for (; i < names.size(); ++i, ++count) {
            const Numbered part = parts_of(names[i]);
            if (part.stem != first.stem || part.digits.empty() != first.digits.empty() ||
                (count > 0 && part.digits.empty())) {
                break;
            }
            if (!spans.empty() && follows(part.digits, spans.back().second)) {
                spans.back().second = part.digits;
            } else {
                spans.emplace_back(part.digits, part.digits);
            }
        }
        std::string inner;
        for (const auto& [from, to] : spans) {
            inner +=
                fmt::format("{}{}{}", inner.empty() ? "" : ",", from, from == to ? "" : "-" + to);
        }
        text += fmt::format(
            "{}{}{}", text.empty() ? "" : ",", first.stem, count > 1 ? "[" + inner + "]" : inner);
    }
    return text;
}

}  // namespace berth::experiments
