#include "workloads/trace/dependency_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "core/support/parse_number.hpp"

namespace berth::workloads {
namespace {

using On = sim::Dependency::On;

constexpr std::array kinds{std::pair<std::string_view, On>{"after", On::start},
                           std::pair<std::string_view, On>{"afterany", On::end},
                           std::pair<std::string_view, On>{"afterok", On::success}};
constexpr std::array<std::string_view, 5> kinds_not_modelled{
    "afternotok", "aftercorr", "afterburstbuffer", "expand", "singleton"};

constexpr std::string_view blank = " \t";

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    return text.substr(0, text.find_last_not_of(blank) + 1);
}

/// Calls `visit` with each part of a text between separators.
template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty()) {
            visit(part);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// Reads `12`, `12_*` for all tasks of an array, and `12+10`, with a delay in minutes, for a job
/// that only has to start. The state in brackets behind it is left out.
TraceDependency job_of(std::string_view text, On on) {
    text = text.substr(0, text.find('('));
    TraceDependency one{{}, on, {}};
    const std::size_t plus = text.find('+');
    if (on == On::start && plus != std::string_view::npos) {
        constexpr std::int64_t minutes_max = 1'000'000'000;
        const auto minutes = core::parse_number<std::int64_t>(text.substr(plus + 1));
        if (minutes && *minutes >= 0 && *minutes <= minutes_max) {
            one.delay = std::chrono::minutes(*minutes);
            text = text.substr(0, plus);
        }
    }
    if (text.ends_with("_*")) {
        text.remove_suffix(2);
    }
    one.name = text;
    return one;
}

}  // namespace

DependencyText parse_dependencies(std::string_view text) {
    DependencyText out;
    if (text == "(null)") {
        return out;
    }
    if (text.find('?') != std::string_view::npos) {
        out.whole = false;
        return out;
    }
    split(text, ',', [&](std::string_view part) {
        const std::size_t colon = std::min(part.find(':'), part.size());
        const std::string_view word = part.substr(0, std::min(colon, part.find('(')));
        const auto* kind = std::ranges::find(kinds, word, &std::pair<std::string_view, On>::first);
        if (std::ranges::find(kinds_not_modelled, word) != kinds_not_modelled.end()) {
            out.whole = false;
        } else if (kind == kinds.end() || colon == part.size()) {
            out.after.push_back({std::string(part), On::success, {}});
        } else {
            split(part.substr(colon + 1), ':', [&](std::string_view job) {
                out.after.push_back(job_of(job, kind->second));
            });
        }
    });
    return out;
}

}  // namespace berth::workloads
