#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/members.hpp"
#include "sim/records.hpp"
#include "sim/utilization.hpp"
#include "sim/window.hpp"

namespace berth::sim {

/// One figure of a run; nothing when the run had nothing to measure it on.
struct Metric {
    std::string name;
    std::optional<double> value;
};

/// Sums up a run from its jobs' records and from what was allocated.
/// Names and meanings: docs/reference/metrics.md.
class Metrics {
public:
    Metrics(const core::Topology& tree, bool attainable, Window window = {});

    void job(const JobRecord& record);
    /// Every metric, always the same names in the same order for one topology.
    [[nodiscard]] std::vector<Metric> result(const Utilization& utilization, SimTime end) const;
    /// In a run whose run times depend on places.
    void add_run_time(std::vector<Metric>& out) const;
    /// What failures did to a run without quotas; with quotas, QuotaMetrics says it.
    void add_failures(std::vector<Metric>& out) const;

private:
    void pod(const Member& member, const JobRecord& record);
    void group(const JobRecord& record);
    void add_group_metrics(std::vector<Metric>& out) const;
    void add_utilization(std::vector<Metric>& out, const Utilization& utilization) const;
    void add_times(std::vector<Metric>& out, SimTime end) const;

    /// Sums by level, over groups that started.
    struct LevelSums {
        double used = 0;
        double min = 0;
        double max = 0;
        double largest_share = 0;
        double attainable_used = 0;
    };
    const core::Topology& tree_;
    bool attainable_;
    Window window_;
    std::vector<double> pods_by_outcome_;
    std::vector<double> waits_;
    std::vector<double> completions_;
    std::vector<double> slowdowns_;
    std::vector<double> bounded_slowdowns_;
    double run_time_factor_ = 0;  ///< Summed over pods that started.
    double makespan_ = 0;
    double groups_ = 0;
    double groups_placed_ = 0;  ///< With all members.
    double groups_started_ = 0;
    double members_placed_ = 0;
    double members_attainable_ = 0;
    double satisfied_ = 0;
    double mean_distance_ = 0;
    double max_distance_ = 0;
    double resizes_refused_ = 0;
    double pods_node_failed_ = 0;
    double work_lost_s_ = 0;
    std::vector<LevelSums> levels_;
};

/// Whether every stated constraint of a group holds in its placement.
[[nodiscard]] bool satisfied(const JobRecord& record, const core::Topology& tree);

}  // namespace berth::sim
