#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::report {

/// The direction in which a metric is better.
enum class Direction : std::uint8_t {
    unknown,  ///< It depends on the purpose of the cluster.
    lower,
    higher,
};
[[nodiscard]] std::string_view to_string(Direction direction);

/// A metric of summary.json. A word in capitals in its name is a placeholder: LEVEL for a level of
/// the topology, RESOURCE for a resource, NAME for a quota, N for a number.
struct MetricRecord {
    std::string_view name;
    std::string_view group;  ///< The subject: `pods`, `use`, `GPU time`, ...
    std::string_view unit;   ///< `s`, `share` (of 1), `%`, `pods`; empty for a plain number.
    Direction better = Direction::unknown;
    std::string_view meaning;  ///< One plain sentence without a full stop.
};

/// Every metric that a run can have, by name, from sim/measure/meters.def and from the
/// schedulers' tables/metrics.def.
[[nodiscard]] std::span<const MetricRecord> metric_table();

/// The record of a metric by its name in summary.json, such as `rack_used` or `wait_s_p95`. A part
/// in brackets at the end, as in `job_wait_s_mean[team-a]`, and an ending like `_8_gpus` select a
/// part of the same metric.
/// Returns: nullptr if no record matches.
[[nodiscard]] const MetricRecord* find_metric(std::string_view metric);

/// The direction in which a metric is better; unknown if no record matches its name.
[[nodiscard]] Direction direction_of(std::string_view metric);

/// Whether a metric is a share of what the cluster has, such as its utilization. On another
/// cluster, another share is neither better nor worse.
[[nodiscard]] bool is_share_of_cluster(std::string_view metric);

}  // namespace berth::report
