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

/// Jobs given one by one; sorted by submit time here, equal times in the order given.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_job_list(std::vector<sim::Job> jobs);

/// Several sources as one, by submit time; at equal times the earlier source first.
[[nodiscard]] std::unique_ptr<sim::PodSource> merge(
    std::vector<std::unique_ptr<sim::PodSource>> sources);

/// A renewal process: independent times between arrivals, each arrival one of the templates by
/// weight, with a service time of its own.
struct Renewal {
    /// What arrives; its name gets the arrival's number, its times are drawn.
    struct Template {
        sim::Job job;
        double weight = 1;
        std::optional<Distribution> service;  ///< Instead of the renewal's.
    };
    std::string name;       ///< Names the random series, and pods without a name of their own.
    Distribution arrivals;  ///< Seconds between arrivals; exponential makes a Poisson process.
    std::optional<Distribution> service;  ///< Seconds that a job runs; nothing: until the run ends.
    std::vector<Template> mix;
    std::uint64_t count = 0;          ///< Arrivals; 0: no bound.
    sim::SimTime start{};             ///< The process begins here.
    sim::SimTime until = sim::never;  ///< No arrival after this.
    /// Arrivals come that much more and less often in the course of time, by thinning: exact for a
    /// Poisson process, and nearer to one for others.
    std::optional<Diurnal> diurnal{};
    std::optional<Bursts> bursts{};
};

/// Gaps between arrivals, thinning, the mix, service and bursts each have their own random series,
/// named after the source. The k-th job's template and service depend on the seed, the name and k
/// alone, and arrivals do not depend on what arrives.
/// Errors: neither a count nor an end is a caller's bug and aborts.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_renewal(Renewal renewal, std::uint64_t seed);

}  // namespace berth::workloads
