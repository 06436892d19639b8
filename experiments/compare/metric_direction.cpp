#include "experiments/compare/metric_direction.hpp"

#include <array>

namespace berth::experiments {
namespace {

/// A name, or with `*` at an end a part of one.
struct Rule {
    std::string_view pattern;
    Direction direction;
};

constexpr Direction lower = Direction::lower;
constexpr Direction higher = Direction::higher;
constexpr Direction unknown = Direction::unknown;

/// The first that fits counts.
constexpr std::array rules{
    // Of shares that could have been had, more is no merit of the run.
    Rule{"*_attainable*", unknown},
    Rule{"pods_finished", higher},
    Rule{"pods_dropped", lower},
    Rule{"pods_rejected", lower},
    Rule{"pods_waiting", lower},
    Rule{"success_rate", higher},
    Rule{"wait_s_*", lower},
    Rule{"jct_s_*", lower},
    Rule{"slowdown_*", lower},
    Rule{"bounded_slowdown_*", lower},
    Rule{"makespan_s", lower},
    Rule{"run_time_factor_mean", lower},
    Rule{"groups_started", higher},
    Rule{"group_success_rate", higher},
    Rule{"members_placed", higher},
    Rule{"constraints_met", higher},
    Rule{"resizes_refused", lower},
    Rule{"*_stranded", lower},
    Rule{"gpu_time_allocated", higher},
    Rule{"gpu_time_idle_no_demand", unknown},
    Rule{"gpu_time_idle_*", lower},
    Rule{"same_pcie*", higher},
    Rule{"same_nvlink*", higher},
    Rule{"same_numa*", higher},
    Rule{"nic_beside*", higher},
    Rule{"free_gpus_broken", lower},
    Rule{"gpu_allocated_pct*", higher},
    Rule{"frag_*", lower},
    Rule{"pods_without_candidate", lower},
    Rule{"jain_*", higher},
    Rule{"min_violation_s", lower},
    Rule{"over_use_s", lower},
    Rule{"pods_revoked", lower},
    Rule{"pods_preempted", lower},
    Rule{"pods_node_failed", lower},
    Rule{"work_lost_s", lower},
    // Of a level's least and most used node, and of shares: with the same work, more of it in use
    // is better only over the whole cluster.
    Rule{"*_utilization_min", unknown},
    Rule{"*_utilization_max", unknown},
    Rule{"*_utilization", higher},
    // Of one quota.
    Rule{"*/min_violation_s", lower},
    Rule{"*/over_use_s", lower},
    Rule{"*/revoked", lower},
    Rule{"*/preempted", lower},
    Rule{"*/node_failed", lower},
    Rule{"*/lost_s", lower},
    Rule{"*/wait_s_mean", lower},
    Rule{"*/wait_s_max", lower},
};

bool fits(std::string_view pattern, std::string_view metric) {
    if (pattern.front() == '*' && pattern.back() == '*') {
        return metric.find(pattern.substr(1, pattern.size() - 2)) != std::string_view::npos;
    }
    if (pattern.front() == '*') {
        return metric.ends_with(pattern.substr(1));
    }
    if (pattern.back() == '*') {
        return metric.starts_with(pattern.substr(0, pattern.size() - 1));
    }
    return metric == pattern;
}

}  // namespace

std::string_view to_string(Direction direction) {
    switch (direction) {
        case Direction::lower:
            return "lower";
        case Direction::higher:
            return "higher";
        default:
            return "";
    }
}

Direction direction_of(std::string_view metric) {
    for (const Rule& rule : rules) {
        if (fits(rule.pattern, metric)) {
            return rule.direction;
        }
    }
    return Direction::unknown;
}

}  // namespace berth::experiments
