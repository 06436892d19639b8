#include "sim/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/group_shape.hpp"

namespace berth::sim {
namespace {

/// Below this run time a slowdown says more about the job than about the wait.
constexpr double bounded_slowdown_threshold_s = 10;

std::optional<double> mean(const std::vector<double>& values) {
    if (values.empty()) {
        return std::nullopt;
    }
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Nearest rank.
std::optional<double> percentile(std::vector<double> values, double p) {
    if (values.empty()) {
        return std::nullopt;
    }
    const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size())));
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

std::optional<double> ratio(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

constexpr std::size_t outcome_count = static_cast<std::size_t>(Outcome::rejected) + 1;

}  // namespace

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::finished:
            return "finished";
        case Outcome::running:
            return "running";
        case Outcome::waiting:
            return "waiting";
        case Outcome::dropped:
            return "dropped";
        case Outcome::rejected:
            break;
    }
    return "rejected";
}

std::string to_name(EvictionCause cause) {
    switch (cause) {
        case EvictionCause::revoked:
            return "revoked";
        case EvictionCause::preempted:
            return "preempted";
        case EvictionCause::node_failed:
            break;
    }
    return "node_failed";
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

void Metrics::job(const JobRecord& record) {
    if (!window_.counts(record.job.submit)) {
        return;
    }
    resizes_refused_ += record.resizes_refused;
    for_each_member(record, [&](const Member& member) { pod(member, record); });
    if (record.job.group) {
        group(record);
    }
}

void Metrics::pod(const Member& member, const JobRecord& record) {
    pods_by_outcome_[static_cast<std::size_t>(member.outcome)] += 1;
    pods_node_failed_ +=
        member.past.evictions[static_cast<std::size_t>(EvictionCause::node_failed)];
    work_lost_s_ += seconds(member.past.lost);
    if (member.stint == nullptr) {
        return;
    }
    waits_.push_back(seconds(member.waited()));
    run_time_factor_ += static_cast<double>(member.stint->run_time_factor) / slow_down_unit;
    if (!member.stint->finish) {
        return;
    }
    const double run = seconds(member.run_time(record));
    const double completion = seconds(member.completion());
    makespan_ = std::max(makespan_, seconds(*member.stint->finish));
    completions_.push_back(completion);
    if (run > 0) {
        slowdowns_.push_back(completion / run);
    }
    bounded_slowdowns_.push_back(
        std::max(completion / std::max(run, bounded_slowdown_threshold_s), 1.0));
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
    out.push_back({"wait_s_mean", mean(waits_)});
    out.push_back({"wait_s_p50", percentile(waits_, 0.5)});
    out.push_back({"wait_s_p95", percentile(waits_, 0.95)});
    out.push_back({"wait_s_p99", percentile(waits_, 0.99)});
    out.push_back({"wait_s_max", percentile(waits_, 1.0)});
    out.push_back({"jct_s_mean", mean(completions_)});
    out.push_back({"jct_s_p50", percentile(completions_, 0.5)});
    out.push_back({"jct_s_p95", percentile(completions_, 0.95)});
    out.push_back({"slowdown_mean", mean(slowdowns_)});
    out.push_back({"bounded_slowdown_mean", mean(bounded_slowdowns_)});
    add_times(out, end);
    add_group_metrics(out);
    add_utilization(out, utilization);
    return out;
}

void Metrics::add_times(std::vector<Metric>& out, SimTime end) const {
    out.push_back({"makespan_s", completions_.empty() ? std::nullopt : std::optional(makespan_)});
    out.push_back({"end_s", seconds(end)});
    out.push_back({"measured_s", seconds(window_.measured(end))});
}

void Metrics::add_run_time(std::vector<Metric>& out) const {
    out.push_back(
        {"run_time_factor_mean", ratio(run_time_factor_, static_cast<double>(waits_.size()))});
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
            std::vector<double> shares;
            for (const core::NodeId node : tree_.level_nodes(core::Level{level})) {
                if (const auto share = utilization.mean_allocated(node, resource)) {
                    shares.push_back(*share);
                }
            }
            const std::string prefix =
                fmt::format("{}_{}_utilization", tree_.level_name(core::Level{level}), name);
            out.push_back({prefix + "_min", percentile(shares, 0)});
            out.push_back({prefix + "_max", percentile(shares, 1)});
        }
    }
}

}  // namespace berth::sim
