#include "schedulers/slurm/documents/slurm_setting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/parse_number.hpp"
#include "workloads/trace/host_list.hpp"

namespace berth::experiments {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool SlurmSetting::is(std::string_view name) const {
    return same_word(key, name);
}

void SlurmSetting::fail(std::string_view expected) const {
    throw SlurmFault(fmt::format("{}: {} is '{}': expected {}", place, key, value, expected));
}

std::int64_t SlurmSetting::whole(std::int64_t least, std::int64_t most) const {
    const auto number = core::parse_number<std::int64_t>(value);
    if (!number || *number < least || *number > most) {
        fail(fmt::format("a whole number from {} to {}", least, most));
    }
    return *number;
}

bool SlurmSetting::flag() const {
    if (!same_word(value, "YES") && !same_word(value, "NO")) {
        fail("YES or NO");
    }
    return same_word(value, "YES");
}

core::slurm::PreemptMode SlurmSetting::preempt_mode() const {
    using enum core::slurm::PreemptMode;
    if (same_word(value, "OFF")) {
        return off;
    }
    if (same_word(value, "REQUEUE")) {
        return requeue;
    }
    if (same_word(value, "CANCEL")) {
        return cancel;
    }
    fail("REQUEUE, CANCEL or OFF: berth suspends no job");
}

std::optional<std::int64_t> SlurmSetting::minutes() const {
    if (same_word(value, "UNLIMITED") || same_word(value, "INFINITE")) {
        return std::nullopt;
    }
    constexpr std::string_view form = "minutes, H:M:S, D-H:M:S or UNLIMITED";
    const std::size_t dash = value.find('-');
    const bool has_days = dash != std::string::npos;
    const auto days = has_days ? core::parse_number<std::int64_t>(value.substr(0, dash))
                               : std::optional<std::int64_t>(0);
    const std::vector<std::string> parts = split(has_days ? value.substr(dash + 1) : value, ':');
    std::vector<std::int64_t> numbers;
    for (const std::string& part : parts) {
        const auto number = core::parse_number<std::int64_t>(part);
        if (!number || *number < 0 || *number > whole_max * 60) {
            fail(form);
        }
        numbers.push_back(*number);
    }
    if (!days || *days < 0 || *days > 1'000'000 || numbers.empty() || numbers.size() > 3) {
        fail(form);
    }
    // M and M:S without days; H, H:M and H:M:S with them.
    const bool starts_with_hours = has_days || numbers.size() == 3;
    numbers.resize(3);
    const std::int64_t seconds =
        *days * 86'400 + (starts_with_hours ? numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
                                            : numbers[0] * 60 + numbers[1]);
    const std::int64_t minutes = (seconds + 59) / 60;
    if (minutes > whole_max) {
        fail("at most 4294967295 minutes, or UNLIMITED");
    }
    return minutes;
}

std::vector<std::string> SlurmSetting::names() const {
    auto names = workloads::expand_host_list(value);
    if (!names) {
        fail("a host list of at most a million names, such as n[1-3,7]");
    }
    return *std::move(names);
}

std::vector<std::string> SlurmSetting::items() const {
    return split(value, ',');
}

}  // namespace berth::experiments
