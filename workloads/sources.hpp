#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock/random.hpp"
#include "sim/job/job.hpp"
#include "workloads/distribution.hpp"
#include "workloads/intensity.hpp"

namespace berth::workloads {

/// A source of given jobs. They are sorted by submit time here; jobs with equal times keep the
/// given order.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_job_list(std::vector<sim::Job> jobs);

/// Merges several sources by submit time; at equal times the earlier source comes first.
[[nodiscard]] std::unique_ptr<sim::PodSource> merge(
    std::vector<std::unique_ptr<sim::PodSource>> sources);

/// A renewal process: the times between arrivals are independent, and each arrival is one of the
/// templates, chosen by weight, with a service time of its own.
struct Renewal {
    /// A job that arrives. The arrival's number is added to its name, and its times are drawn.
    struct Template {
        sim::Job job;
        double weight = 1;
        std::optional<Distribution> service;  ///< Replaces the renewal's service time.
    };
    std::string name;       ///< Names the random series, and pods without a name of their own.
    Distribution arrivals;  ///< Seconds between arrivals; exponential makes a Poisson process.
    std::optional<Distribution> service;  ///< Seconds that a job runs; nothing: until the run ends.
    std::vector<Template> mix;
    std::uint64_t count = 0;          ///< Number of arrivals; 0: no bound.
    sim::SimTime start{};             ///< When the process begins.
    sim::SimTime until = sim::never;  ///< No arrival after this.
    /// Arrivals become more and less frequent over time, by thinning. This is exact for a Poisson
    /// process and approximate for others.
    std::optional<Diurnal> diurnal{};
    std::optional<Bursts> bursts{};
};

/// Gaps between arrivals, thinning, the mix, service and bursts each have their own random series,
/// named after the source. The k-th job's template and service depend on the seed, the name and k
/// alone, and arrivals do not depend on what arrives.
/// Errors: a renewal with neither a count nor an end is a caller's bug and aborts.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_renewal(Renewal renewal, std::uint64_t seed);

}  // namespace berth::workloads
