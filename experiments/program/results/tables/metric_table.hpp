#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::report {

/// Which way a metric is better.
enum class Direction : std::uint8_t {
    unknown,  ///< It depends on what the cluster is for.
    lower,
    higher,
};
[[nodiscard]] std::string_view to_string(Direction direction);

/// A metric of summary.json. What stands in capitals in its name stands for any text: LEVEL for a
/// level of the topology, RESOURCE for a resource, NAME for a quota, N for a number.
struct MetricRecord {
    std::string_view name;
    std::string_view group;  ///< What it tells about: `pods`, `use`, `GPU time`, ...
    std::string_view unit;   ///< `s`, `share` (of 1), `%`, `pods`; empty for a plain number.
    Direction better = Direction::unknown;
    std::string_view meaning;  ///< One plain sentence without a stop.
};

/// Every metric that a run can have, by name: sim/measure/meters.def.
[[nodiscard]] std::span<const MetricRecord> metric_table();

/// The record of a metric as summary.json names it, such as `rack_used` or `wait_s_p95`. A part
/// in brackets at the end, `job_wait_s_mean[team-a]`, and an end `_8_gpus` name a share of the same
/// metric. Returns: nullptr for a name that no record fits.
[[nodiscard]] const MetricRecord* find_metric(std::string_view metric);

/// Which way a metric is better; unknown for a name that no record fits.
[[nodiscard]] Direction direction_of(std::string_view metric);

/// Whether a metric is a share of what the cluster has, such as its utilization: on another cluster
/// another share is neither better nor worse.
[[nodiscard]] bool is_share_of_cluster(std::string_view metric);

}  // namespace berth::report
