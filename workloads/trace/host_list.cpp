#include "workloads/trace/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/support/parse_number.hpp"

namespace berth::workloads {
namespace {

constexpr std::size_t names_max = 1'000'000;

/// Adds what one part of the text in brackets stands for, between commas: `3`, `07` or `08-12`.
bool add_range(std::string_view part, std::vector<std::string>& out) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const std::string_view low = part.substr(0, dash);
    const std::string_view high = dash == part.size() ? low : part.substr(dash + 1);
    const auto first = core::parse_number<std::uint64_t>(low);
    const auto last = core::parse_number<std::uint64_t>(high);
    if (!first || !last || *last < *first || *last - *first >= names_max - out.size()) {
        return false;
    }
    for (std::uint64_t number = *first; number <= *last; ++number) {
        out.push_back(fmt::format("{:0{}}", number, low.size()));
    }
    return true;
}

/// What the text in one pair of brackets stands for.
std::optional<std::vector<std::string>> ranges_in(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (!add_range(text.substr(at, end - at), out)) {
            return std::nullopt;
        }
        at = end + 1;
    }
    return out;
}

/// The names that one entry stands for, such as `rack[1-2]n[01-16]`.
std::optional<std::vector<std::string>> names_of(std::string_view entry) {
    std::vector<std::string> names{""};
    while (!entry.empty()) {
        const std::size_t open = std::min(entry.find('['), entry.size());
        const std::size_t close = entry.find(']', open);
        std::vector<std::string> inside{""};
        if (open < entry.size()) {
            const auto ranges = close == std::string_view::npos
                                    ? std::nullopt
                                    : ranges_in(entry.substr(open + 1, close - open - 1));
            if (!ranges || names.size() * ranges->size() > names_max) {
                return std::nullopt;
            }
            inside = *ranges;
        }
        std::vector<std::string> longer;
        for (const std::string& name : names) {
            for (const std::string& number : inside) {
                longer.push_back(fmt::format("{}{}{}", name, entry.substr(0, open), number));
            }
        }
        names = std::move(longer);
        entry.remove_prefix(open < entry.size() ? close + 1 : entry.size());
    }
    return names;
}

}  // namespace

std::optional<std::vector<std::string>> expand_host_list(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        std::size_t end = 0;
        for (bool inside = false; end < text.size() && (inside || text[end] != ','); ++end) {
            inside = text[end] == '[' || (inside && text[end] != ']');
        }
        const auto names = names_of(text.substr(0, end));
        if (!names || end == 0 || out.size() + names->size() > names_max) {
            return std::nullopt;
        }
        out.insert(out.end(), names->begin(), names->end());
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

}  // namespace berth::workloads
