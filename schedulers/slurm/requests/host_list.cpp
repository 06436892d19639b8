#include "schedulers/slurm/requests/host_list.hpp"

#include <fmt/format.h>

#include <utility>

namespace berth::experiments {
namespace {

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
