#include "sim/measure/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/support/assert.hpp"
#include "sim/measure/group_shape.hpp"
#include "sim/measure/job_metrics.hpp"
#include "sim/meter/member_wait.hpp"

namespace berth::sim {
namespace {

std::optional<double> ratio(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

/// Whether the end of the run is what keeps it from an end of its own.
bool goes_on(Outcome outcome) {
    return outcome == Outcome::waiting || outcome == Outcome::running;
}

constexpr std::size_t outcome_count = static_cast<std::size_t>(Outcome::rejected) + 1;

}  // namespace

std::string_view to_string(Outcome outcome) {
    static constexpr std::array names{"finished", "running", "waiting", "dropped", "rejected"};
    return names[static_cast<std::size_t>(outcome)];
}

std::string to_name(EvictionCause cause) {
    static constexpr std::array names{"revoked", "preempted", "node_failed"};
    return std::string(names[static_cast<std::size_t>(cause)]);
}

bool satisfied(const JobRecord& record, const core::Topology& tree) {
    if (!record.start || !record.job.constraints) {
        return record.start.has_value();
    }
    const core::GroupRequest group{record.job.size, *record.job.constraints};
    return std::ranges::all_of(std::views::iota(std::uint32_t{0}, group.constraints.level_count()),
                               [&](std::uint32_t level) {
                                   return !group.constraints.stated(core::Level{level}) ||
                                          core::constraint_met(
                                              record.placement, group, core::Level{level}, tree);
                               });
}

Metrics::Metrics(const core::Topology& tree, bool attainable, Window window)
    : tree_(tree),
      attainable_(attainable),
      window_(window),
      pods_by_outcome_(outcome_count),
      levels_(tree.level_count()) {}

void Metrics::job(const JobRecord& record, SimTime now) {
    if (!window_.counts(record.job.submit)) {
        return;
    }
    resizes_refused_ += record.resizes_refused;
    for_each_member(record, [&](const Member& member) { pod(member, record, now); });
    if (record.job.group) {
        group(record);
    }
}

void Metrics::pod(const Member& member, const JobRecord& record, SimTime now) {
    pods_by_outcome_[static_cast<std::size_t>(member.outcome)] += 1;
    pods_node_failed_ +=
        member.past.evictions[static_cast<std::size_t>(EvictionCause::node_failed)];
    work_lost_s_ += seconds(member.past.lost);
    add_wait(waits_, member, now);
    if (member.stint != nullptr) {
        started_ += 1;
        run_time_factor_ += static_cast<double>(member.stint->run_time_factor) / slow_down_unit;
    }
    if (member.finished() || record.job.duration) {
        pod_completion(member, record, now);
    }
}

void Metrics::pod_completion(const Member& member, const JobRecord& record, SimTime now) {
    const double run = seconds(member.finished() ? member.run_time(record) : *record.job.duration);
    const double completion =
        seconds(member.finished() ? member.completion() : now - member.past.submit);
    const auto add = [&](CensoredSample& sample, double value) {
        if (member.finished()) {
            sample.ended(value);
        } else if (goes_on(member.outcome)) {
            sample.going_on(value);
        } else {
            sample.never();
        }
        sample.never_started(member.ever_started() ? 0 : 1);
    };
    add(completions_, completion);
    add(bounded_slowdowns_,
        std::max(completion / std::max(run, bounded_slowdown_threshold_s), 1.0));
    if (run > 0) {
        add(slowdowns_, member.finished() ? completion / run : std::max(completion / run, 1.0));
    }
    if (member.finished()) {
        last_finish_s_ = std::max(last_finish_s_.value_or(0), seconds(*member.stint->finish));
    } else if (goes_on(member.outcome)) {
        unfinished_s_ = seconds(now);
    }
}

void Metrics::group(const JobRecord& record) {
    ++groups_;
    members_placed_ += static_cast<double>(record.placed);
    if (record.attainable) {
        members_attainable_ += static_cast<double>(record.attainable->placed());
    }
    groups_placed_ += record.start && record.placed == record.job.size ? 1 : 0;
    if (!record.start) {
        return;
    }
    BERTH_ASSERT(record.placement.placed() > 0, "a group that started has members");
    ++groups_started_;
    satisfied_ += satisfied(record, tree_) ? 1 : 0;
    const GroupShape shape = shape_of(record.placement, tree_);
    mean_distance_ += shape.mean_distance;
    max_distance_ += shape.max_distance;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const GroupShape::AtLevel& at = shape.levels[level];
        levels_[level].used += at.used;
        levels_[level].min += static_cast<double>(at.min);
        levels_[level].max += static_cast<double>(at.max);
        levels_[level].largest_share +=
            static_cast<double>(at.max) / static_cast<double>(record.placement.placed());
    }
    if (record.attainable) {
        const GroupShape best = shape_of(*record.attainable, tree_);
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            levels_[level].attainable_used += best.levels[level].used;
        }
    }
}

std::vector<Metric> Metrics::result(const Utilization& utilization, SimTime end) const {
    std::vector<Metric> out;
    const double submitted = std::accumulate(pods_by_outcome_.begin(), pods_by_outcome_.end(), 0.0);
    out.push_back({"pods_submitted", submitted});
    for (std::size_t outcome = 0; outcome < outcome_count; ++outcome) {
        out.push_back({fmt::format("pods_{}", to_string(static_cast<Outcome>(outcome))),
                       pods_by_outcome_[outcome]});
    }
    const double unsuccessful = pods_by_outcome_[static_cast<std::size_t>(Outcome::dropped)] +
                                pods_by_outcome_[static_cast<std::size_t>(Outcome::rejected)] +
                                pods_by_outcome_[static_cast<std::size_t>(Outcome::waiting)];
    out.push_back({"success_rate", ratio(submitted - unsuccessful, submitted)});
    out.push_back(waits_.mean("wait_s_mean"));
    waits_.add_percentiles(out, "wait_s", {500, 950, 990, 1000});
    out.push_back(completions_.mean("jct_s_mean"));
    completions_.add_percentiles(out, "jct_s", {500, 950});
    out.push_back(slowdowns_.mean("slowdown_mean"));
    out.push_back(bounded_slowdowns_.mean("bounded_slowdown_mean"));
    add_times(out, end);
    add_group_metrics(out);
    add_utilization(out, utilization);
    return out;
}

void Metrics::add_times(std::vector<Metric>& out, SimTime end) const {
    out.push_back({"makespan_s", last_finish_s_, unfinished_s_});
    out.push_back({"end_s", seconds(end)});
    out.push_back({"measured_s", seconds(window_.measured(end))});
}

void Metrics::add_run_time(std::vector<Metric>& out) const {
    out.push_back({"run_time_factor_mean", ratio(run_time_factor_, started_)});
}

void Metrics::add_failures(std::vector<Metric>& out) const {
    out.push_back({"pods_node_failed", pods_node_failed_});
    out.push_back({"work_lost_s", work_lost_s_});
}

void Metrics::add_group_metrics(std::vector<Metric>& out) const {
    out.push_back({"groups_submitted", groups_});
    out.push_back({"groups_started", groups_started_});
    out.push_back({"group_success_rate", ratio(groups_placed_, groups_)});
    out.push_back({"members_placed", ratio(members_placed_, groups_)});
    if (attainable_) {
        out.push_back({"members_attainable", ratio(members_attainable_, groups_)});
    }
    out.push_back({"constraints_met", ratio(satisfied_, groups_started_)});
    out.push_back({"mean_distance", ratio(mean_distance_, groups_started_)});
    out.push_back({"max_distance", ratio(max_distance_, groups_started_)});
    out.push_back({"resizes_refused", resizes_refused_});
    for (std::uint32_t level = 1; level < levels_.size(); ++level) {
        const std::string& name = tree_.level_name(core::Level{level});
        const LevelSums& sums = levels_[level];
        out.push_back({name + "_used", ratio(sums.used, groups_started_)});
        out.push_back({name + "_min", ratio(sums.min, groups_started_)});
        out.push_back({name + "_max", ratio(sums.max, groups_started_)});
        out.push_back({name + "_largest_share", ratio(sums.largest_share, groups_started_)});
        if (attainable_) {
            out.push_back(
                {name + "_used_attainable", ratio(sums.attainable_used, groups_started_)});
        }
    }
}

void Metrics::add_utilization(std::vector<Metric>& out, const Utilization& utilization) const {
    const core::ResourceSchema& resources = tree_.resources();
    for (std::size_t resource = 0; resource < resources.size(); ++resource) {
        const std::string& name = resources.name(resource);
        out.push_back({name + "_utilization", utilization.mean_allocated(tree_.root(), resource)});
        out.push_back({name + "_stranded", utilization.mean_stranded(resource)});
        for (std::uint32_t level = 1; level + 1 < tree_.level_count(); ++level) {
            std::optional<double> lowest;
            std::optional<double> highest;
            for (const core::NodeId node : tree_.level_nodes(core::Level{level})) {
                if (const auto share = utilization.mean_allocated(node, resource)) {
                    lowest = std::min(lowest.value_or(*share), *share);
                    highest = std::max(highest.value_or(*share), *share);
                }
            }
            const std::string prefix =
                fmt::format("{}_{}_utilization", tree_.level_name(core::Level{level}), name);
            out.push_back({prefix + "_min", lowest});
            out.push_back({prefix + "_max", highest});
        }
    }
}

}  // namespace berth::sim
