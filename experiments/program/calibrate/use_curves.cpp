#include "experiments/program/calibrate/use_curves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "core/ledger/ledger.hpp"
#include "experiments/program/results/paid_resource.hpp"

namespace berth::experiments {
namespace {

constexpr std::size_t stretches_max = 200;
constexpr sim::SimTime shortest_stretch = std::chrono::hours(1);

/// The end of what the curves show: the last start or finish of a job in the recording or the run.
sim::SimTime last_instant(const PairedJobs& pairs) {
    sim::SimTime last{};
    for (const PairedJob& job : pairs.jobs) {
        last = std::max({last,
                         job.recorded_finish.value_or(job.recorded_start),
                         job.finish.value_or(job.start.value_or(sim::SimTime(0)))});
    }
    return last;
}

}  // namespace

UseOverTime::UseOverTime(const std::vector<PairedJob>& jobs,
                         std::size_t resources,
                         sim::SimTime end,
                         TimesOf times_of)
    : resources_(resources) {
    std::map<sim::SimTime, std::vector<core::Amount>> changes;
    for (const PairedJob& job : jobs) {
        const auto [start, finish] = times_of(job);
        if (!start) {
            continue;
        }
        const auto change = [&](sim::SimTime at, core::Amount sign) {
            auto& amounts = changes[at];
            amounts.resize(resources_);
            for (std::size_t resource = 0; resource < resources_; ++resource) {
                amounts[resource] += sign * job.demand[resource] * job.size;
            }
        };
        change(*start, 1);
        change(std::max(*start, finish.value_or(end)), -1);
    }
    std::vector<core::Amount> held(resources_);
    for (const auto& [time, amounts] : changes) {
        times_.push_back(time);
        for (std::size_t resource = 0; resource < resources_; ++resource) {
            held[resource] += amounts[resource];
            amounts_.push_back(held[resource]);
        }
    }
}

core::Amount UseOverTime::at(sim::SimTime time, std::size_t resource) const {
    const auto after = std::ranges::upper_bound(times_, time) - times_.begin();
    return after == 0 ? 0 : amounts_[static_cast<std::size_t>(after - 1) * resources_ + resource];
}

core::Amount UseOverTime::most(std::size_t resource) const {
    core::Amount most = 0;
    for (std::size_t i = resource; i < amounts_.size(); i += resources_) {
        most = std::max(most, amounts_[i]);
    }
    return most;
}

double UseOverTime::mean(sim::SimTime from, sim::SimTime to, std::size_t resource) const {
    auto next = static_cast<std::size_t>(std::ranges::upper_bound(times_, from) - times_.begin());
    double sum = 0;
    for (sim::SimTime at = from; at < to; ++next) {
        const sim::SimTime until = next < times_.size() ? std::min(times_[next], to) : to;
        const core::Amount held = next == 0 ? 0 : amounts_[(next - 1) * resources_ + resource];
        sum += sim::seconds(until - at) * static_cast<double>(held);
        at = until;
    }
    return sum / sim::seconds(to - from);
}

UseOverTime recorded_use(const PairedJobs& pairs, std::size_t resources) {
    return {pairs.jobs, resources, last_instant(pairs), [](const PairedJob& job) {
                return std::pair(std::optional(job.recorded_start), job.recorded_finish);
            }};
}

UseOverTime simulated_use(const PairedJobs& pairs, std::size_t resources) {
    return {pairs.jobs, resources, last_instant(pairs), [](const PairedJob& job) {
                return std::pair(job.start, job.finish);
            }};
}

std::vector<core::Amount> whole_capacity(const core::Topology& tree) {
    std::vector<core::Amount> sums(tree.resources().size());
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        const auto& capacity = tree.machine_type(core::ServerId(server)).capacity;
        for (std::size_t resource = 0; resource < sums.size(); ++resource) {
            sums[resource] += capacity[static_cast<Eigen::Index>(resource)];
        }
    }
    return sums;
}

UseCurves use_curves(const core::Topology& tree,
                     const PairedJobs& pairs,
                     const UseOverTime& recorded,
                     const UseOverTime& simulated) {
    const std::size_t resource = report::paid_resource(tree.resources().names());
    const auto per_unit = static_cast<double>(tree.resources().per_unit(resource));
    const auto capacity = static_cast<double>(whole_capacity(tree)[resource]);
    UseCurves curves;
    curves.resource = tree.resources().name(resource);
    curves.capacity = capacity / per_unit;
    const sim::SimTime end = last_instant(pairs);
    if (end <= sim::SimTime(0) || capacity <= 0) {
        return curves;
    }
    const auto hours =
        static_cast<std::size_t>((end + shortest_stretch - sim::SimTime(1)) / shortest_stretch);
    const sim::SimTime stretch =
        shortest_stretch * static_cast<std::int64_t>((hours + stretches_max - 1) / stretches_max);
    for (sim::SimTime from{}; from < end; from += stretch) {
        curves.time_s.push_back(sim::seconds(from));
        curves.recorded.push_back(recorded.mean(from, from + stretch, resource) / capacity);
        curves.simulated.push_back(simulated.mean(from, from + stretch, resource) / capacity);
        curves.distance += std::abs(curves.recorded.back() - curves.simulated.back());
    }
    curves.distance /= static_cast<double>(curves.time_s.size());
    return curves;
}

}  // namespace berth::experiments
