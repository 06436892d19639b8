#include "experiments/program/results/tables/metric_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace berth::report {
namespace {

constexpr Direction lower = Direction::lower;
constexpr Direction higher = Direction::higher;
constexpr Direction unknown = Direction::unknown;

constexpr auto records = [] {
    auto by_meter = std::to_array<MetricRecord>({
#define BERTH_METER(name)
#define BERTH_SAMPLING_METER(name)
#define BERTH_METRIC(name, group, unit, better, meaning) {name, group, unit, better, meaning},
#include "sim/measure/meters.def"
// What the schedulers add.
#include "schedulers/tables/metrics.def"
#undef BERTH_METRIC
#undef BERTH_SAMPLING_METER
#undef BERTH_METER
    });
    std::ranges::sort(by_meter, {}, &MetricRecord::name);
    return by_meter;
}();

constexpr bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

/// The records whose names are patterns; the rest of the array is null.
constexpr auto patterns = [] {
    std::array<const MetricRecord*, records.size()> out{};
    std::size_t count = 0;
    for (const MetricRecord& record : records) {
        if (std::ranges::any_of(record.name, is_capital)) {
            out.at(count++) = &record;
        }
    }
    return out;
}();

/// The number of letters in a pattern that are not placeholders.
std::ptrdiff_t literal(std::string_view pattern) {
    return std::ranges::count_if(pattern, [](char c) { return !is_capital(c); });
}

/// The end of a pattern, behind its last placeholder.
std::string_view end_of(std::string_view pattern) {
    const auto last = std::ranges::find_if(pattern.rbegin(), pattern.rend(), is_capital);
    return {last.base(), pattern.end()};
}

/// Whether a name matches a pattern.
bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) {
        return name.empty();
    }
    if (!is_capital(pattern.front())) {
        return !name.empty() && pattern.front() == name.front() &&
               fits(pattern.substr(1), name.substr(1));
    }
    const std::size_t word = std::min(
        static_cast<std::size_t>(std::ranges::find_if_not(pattern, is_capital) - pattern.begin()),
        pattern.size());
    for (std::size_t taken = 1; taken <= name.size(); ++taken) {
        if (fits(pattern.substr(word), name.substr(taken))) {
            return true;
        }
    }
    return false;
}

/// The name without the part that selects some pods or jobs: `[team-a]`, `_8_gpus`.
std::string_view whole_name(std::string_view metric) {
    if (metric.ends_with(']') && metric.find('[') != std::string_view::npos) {
        metric = metric.substr(0, metric.find('['));
    }
    constexpr std::string_view gpus = "_gpus";
    if (metric.ends_with(gpus)) {
        const std::string_view before = metric.substr(0, metric.size() - gpus.size());
        const std::size_t digits = before.find_last_not_of("0123456789");
        if (digits != std::string_view::npos && digits + 1 < before.size() &&
            before[digits] == '_') {
            return before.substr(0, digits);
        }
    }
    return metric;
}

}  // namespace

std::string_view to_string(Direction direction) {
    static constexpr std::array names{"", "lower", "higher"};
    return names[static_cast<std::size_t>(direction)];
}

std::span<const MetricRecord> metric_table() {
    return records;
}

const MetricRecord* find_metric(std::string_view metric) {
    const std::string_view name = whole_name(metric);
    const auto exact = std::ranges::lower_bound(records, name, {}, &MetricRecord::name);
    if (exact != records.end() && exact->name == name) {
        return &*exact;
    }
    const MetricRecord* nearest = nullptr;
    for (const MetricRecord* record : patterns) {
        // Of several patterns, the one with the most letters of its own wins.
        if (record != nullptr && name.ends_with(end_of(record->name)) && fits(record->name, name) &&
            (nearest == nullptr || literal(record->name) > literal(nearest->name))) {
            nearest = record;
        }
    }
    return nearest;
}

Direction direction_of(std::string_view metric) {
    const MetricRecord* record = find_metric(metric);
    return record == nullptr ? Direction::unknown : record->better;
}

bool is_share_of_cluster(std::string_view metric) {
    const MetricRecord* record = find_metric(metric);
    return record != nullptr && record->name != "goodput" &&  // a share of the jobs' time
           (record->group == "use" || record->group == "GPU time" ||
            record->group == "shared GPUs" || record->name.ends_with("_utilization"));
}

}  // namespace berth::report
