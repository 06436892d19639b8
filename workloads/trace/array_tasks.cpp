#include "workloads/trace/array_tasks.hpp"

#include <algorithm>

#include "core/support/parse_number.hpp"

namespace berth::workloads {
namespace {

/// No job array of Slurm has a task with a larger number.
constexpr std::int64_t task_max = 4'000'000;

}  // namespace

std::optional<ArrayTasks> ArrayTasks::parse(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    text = text.substr(0, text.find('%'));  // the number of tasks that may run at once
    ArrayTasks tasks;
    if (text.starts_with("0x")) {
        return tasks.add_bits(text.substr(2)) ? std::optional(tasks) : std::nullopt;
    }
    while (true) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (!tasks.add_range(text.substr(0, end))) {
            return std::nullopt;
        }
        if (end == text.size()) {
            return tasks;
        }
        text.remove_prefix(end + 1);
    }
}

/// Accepts `7`, `2-20` and `1-9:2`.
bool ArrayTasks::add_range(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view span = text.substr(0, colon);
    const std::size_t dash = span.find('-');
    const auto first = core::parse_number<std::int64_t>(span.substr(0, dash));
    const auto last = dash == std::string_view::npos
                          ? first
                          : core::parse_number<std::int64_t>(span.substr(dash + 1));
    const auto step = colon == text.size()
                          ? std::optional<std::int64_t>(1)
                          : core::parse_number<std::int64_t>(text.substr(colon + 1));
    if (!first || !last || !step || *first < 0 || *last < *first || *last > task_max || *step < 1) {
        return false;
    }
    ranges_.push_back({*first, *last, *step});
    return true;
}

bool ArrayTasks::add_bits(std::string_view digits) {
    constexpr std::string_view values = "0123456789abcdef";
    for (std::size_t at = 0; at < digits.size(); ++at) {
        const char digit = digits[digits.size() - 1 - at];
        const std::size_t value =
            values.find(digit >= 'A' && digit <= 'F' ? static_cast<char>(digit | 0x20) : digit);
        const auto first = static_cast<std::int64_t>(4 * at);
        if (value == std::string_view::npos || first > task_max) {
            return false;
        }
        for (std::int64_t bit = 0; bit < 4; ++bit) {
            if ((value >> static_cast<unsigned>(bit) & 1U) != 0) {
                ranges_.push_back({first + bit, first + bit, 1});
            }
        }
    }
    return !ranges_.empty();
}

std::optional<std::int64_t> ArrayTasks::next() {
    while (at_ < ranges_.size() && ranges_[at_].next > ranges_[at_].last) {
        ++at_;
    }
    if (at_ == ranges_.size()) {
        return std::nullopt;
    }
    Range& range = ranges_[at_];
    const std::int64_t task = range.next;
    range.next += range.step;
    return task;
}

}  // namespace berth::workloads
