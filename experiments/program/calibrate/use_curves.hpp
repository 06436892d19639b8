#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/calibrate/paired_jobs.hpp"

namespace berth::experiments {

/// How much of each resource some jobs hold together, as it changes over time.
class UseOverTime {
public:
    /// Jobs without a finish hold what they have until `end`.
    using TimesOf =
        std::pair<std::optional<sim::SimTime>, std::optional<sim::SimTime>> (*)(const PairedJob&);
    UseOverTime(const std::vector<PairedJob>& jobs,
                std::size_t resources,
                sim::SimTime end,
                TimesOf times_of);

    /// What is held from that instant on. Cost: O(log jobs).
    [[nodiscard]] core::Amount at(sim::SimTime time, std::size_t resource) const;
    /// The most that is held at any instant.
    [[nodiscard]] core::Amount most(std::size_t resource) const;
    /// The mean from `from` to `to`, which is later.
    [[nodiscard]] double mean(sim::SimTime from, sim::SimTime to, std::size_t resource) const;

private:
    std::size_t resources_;
    std::vector<sim::SimTime> times_;    ///< When something changes, ascending.
    std::vector<core::Amount> amounts_;  ///< The amount of each resource after each change.
};

[[nodiscard]] UseOverTime recorded_use(const PairedJobs& pairs, std::size_t resources);
[[nodiscard]] UseOverTime simulated_use(const PairedJobs& pairs, std::size_t resources);

/// The utilization by the compared jobs in equal stretches of time, in the recording and in the
/// run.
struct UseCurves {
    std::string resource;
    double capacity = 0;            ///< The cluster's capacity, in units of the resource.
    std::vector<double> time_s;     ///< The beginning of each stretch.
    std::vector<double> recorded;   ///< The use in the recording, as shares of the capacity.
    std::vector<double> simulated;  ///< The use in the run, as shares of the capacity.
    /// The mean distance between the two, a share of the capacity.
    double distance = 0;
};
[[nodiscard]] UseCurves use_curves(const core::Topology& tree,
                                   const PairedJobs& pairs,
                                   const UseOverTime& recorded,
                                   const UseOverTime& simulated);

/// What all servers have of each resource.
[[nodiscard]] std::vector<core::Amount> whole_capacity(const core::Topology& tree);

}  // namespace berth::experiments
