#include "experiments/program/results/course.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/support/sql_names.hpp"

namespace berth::report {

void StepMeans::change(double share, double by) {
    if (share > 1) {
        return;
    }
    const double at = std::max(0.0, share) * slices;
    const auto slice = std::min(static_cast<std::size_t>(at), slices);
    within_[slice] += by * (slice == slices ? 1 : static_cast<double>(slice + 1) - at);
    from_next_[std::min(slice + 1, slices)] += slice == slices ? 0 : by;
}

std::vector<double> StepMeans::values() const {
    std::vector<double> out;
    double now = 0;
    for (std::size_t i = 0; i <= slices; ++i) {
        now += from_next_[i];
        out.push_back(now + within_[i]);
    }
    return out;
}

Course::Course(const std::vector<double>& end_s, const std::vector<std::string>& resources)
    : resources_(resources.size()),
      paid_(resources.empty() ? 0 : paid_resource(resources)),
      resource_(resources.empty() ? "" : resources[paid_]) {
    // A replication in which no time passes has no course.
    if (std::ranges::all_of(end_s, [](double end) { return end > 0; })) {
        for (const double end : end_s) {
            replications_.push_back({end});
        }
    }
}

void Course::add(const PodTimes& times,
                 std::span<const EarlierRun> earlier,
                 double pods,
                 const std::vector<double>& amounts) {
    const auto r = static_cast<std::size_t>(times.replication);
    if (r >= replications_.size()) {
        return;
    }
    amounts_known_ = amounts_known_ && !amounts.empty();
    const double amount = amounts.empty() ? 0 : pods * amounts[paid_];
    Replication& replication = replications_[r];
    const auto waits = [&](double from_s, double to_s) {
        replication.waiting.change(from_s / replication.end_s, pods);
        replication.waiting.change(to_s / replication.end_s, -pods);
    };
    const auto runs = [&](double from_s, double to_s) {
        replication.in_use.change(from_s / replication.end_s, amount);
        replication.in_use.change(to_s / replication.end_s, -amount);
    };
    constexpr double never = std::numeric_limits<double>::infinity();
    double queued_s = times.submit_s;
    for (const EarlierRun& run : earlier) {
        waits(queued_s, run.from_s);
        runs(run.from_s, run.to_s);
        queued_s = run.to_s;
    }
    // The start and finish of a pod that waits again belong to the run that it lost.
    if (times.outcome == "waiting") {
        waits(queued_s, never);
    } else if (times.start_s && *times.start_s >= queued_s) {
        waits(queued_s, *times.start_s);
        runs(*times.start_s, times.finish_s.value_or(never));
    }
}

void Course::add_jobs(const std::filesystem::path& file) {
    CsvReader csv(file);
    const auto [replication, outcome, submit, start, finish, size] =
        csv.columns("replication", "outcome", "submit_s", "start_s", "finish_s", "size");
    const auto demand = csv.find_column(sql_column("demand_" + resource_));
    std::vector<std::size_t> evictions;
    for (const char* name : {"revoked", "preempted", "node_failed", "drained"}) {
        if (const auto column = csv.find_column(name)) {
            evictions.push_back(*column);
        }
    }
    while (csv.next()) {
        for (const std::size_t column : evictions) {
            if (csv.number(column).value_or(0) > 0) {
                replications_.clear();
                return;
            }
        }
        std::vector<double> amounts(demand ? resources_ : 0);
        if (demand) {
            amounts[paid_] = csv.number(*demand).value_or(0);
        }
        add({csv.whole(replication, 0),
             "",
             csv.field(outcome),
             csv.number(submit).value_or(0),
             csv.number(start),
             csv.number(finish)},
            {},
            csv.number(size).value_or(0),
            amounts);
    }
}

TimeSeries Course::series(const Cluster& cluster) const {
    double capacity = 0;
    double background = 0;
    for (const Cell& cell : cluster.cells) {
        capacity += cell.capacity[paid_];
        background += cell.background[paid_];
    }
    TimeSeries out{{"pods_waiting"}, {}};
    if (amounts_known_ && capacity > 0) {
        out.columns.push_back(resource_ + "_utilization");
    }
    for (std::size_t r = 0; r < replications_.size(); ++r) {
        const Replication& replication = replications_[r];
        ReplicationSeries one{static_cast<std::int64_t>(r), {}, {replication.waiting.values()}};
        for (std::size_t i = 0; i <= StepMeans::slices; ++i) {
            one.time_s.push_back(replication.end_s * static_cast<double>(i) / StepMeans::slices);
        }
        if (out.columns.size() > 1) {
            one.values.push_back(replication.in_use.values());
            for (double& value : one.values.back()) {
                value = (value + background) / capacity;
            }
        }
        out.replications.push_back(std::move(one));
    }
    return out;
}

}  // namespace berth::report
