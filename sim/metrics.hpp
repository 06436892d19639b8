#pragma once

#include <optional>
#include <vector>

#include "sim/censored_sample.hpp"
#include "sim/members.hpp"
#include "sim/metric.hpp"
#include "sim/records.hpp"
#include "sim/utilization.hpp"
#include "sim/window.hpp"

namespace berth::sim {

/// Sums up a run from its jobs' records and from what was allocated.
/// Names and meanings: docs/reference/metrics.md.
class Metrics {
public:
    Metrics(const core::Topology& tree, bool attainable, Window window = {});

    /// Takes in a job at the time of its record; `now` matters for one that waits or runs.
    void job(const JobRecord& record, SimTime now);
    /// Every metric, always the same names in the same order for one topology.
    [[nodiscard]] std::vector<Metric> result(const Utilization& utilization, SimTime end) const;
    /// In a run whose run times depend on places.
    void add_run_time(std::vector<Metric>& out) const;
    /// What failures did to a run without quotas; with quotas, QuotaMetrics says it.
    void add_failures(std::vector<Metric>& out) const;

private:
    void pod(const Member& member, const JobRecord& record, SimTime now);
    void pod_completion(const Member& member, const JobRecord& record, SimTime now);
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
    CensoredSample waits_;
    CensoredSample completions_;
    CensoredSample slowdowns_;
    CensoredSample bounded_slowdowns_;
    double started_ = 0;          ///< Pods.
    double run_time_factor_ = 0;  ///< Summed over pods that started.
    std::optional<double> last_finish_s_;
    std::optional<double> unfinished_s_;  ///< When the run ended with work that was to end.
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

/// Adds the wait of a job's member; one that its group started without never starts. `now` matters
/// for a member that waits.
void add_wait(CensoredSample& waits, const Member& member, SimTime now);

/// Whether every stated constraint of a group holds in its placement.
[[nodiscard]] bool satisfied(const JobRecord& record, const core::Topology& tree);

}  // namespace berth::sim
