#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/job/stretch.hpp"
#include "sim/measure/job_kind.hpp"
#include "sim/meter/metric.hpp"
#include "sim/meter/sum_by_arrival.hpp"

namespace berth::sim {

/// What the jobs of each kind made of their time: how much of the time since their first start is
/// work that lasts, and how much of the time of the GPUs that they had brought something lasting.
///
/// Units: GPU time in the ledger's amounts of a GPU times nanoseconds, as 128-bit integers.
/// Cost:  O(1) for each stint that ends, and for each job.
class JobGains {
public:
    using Labels = std::array<std::string, job_trait_count>;  ///< Of a job, by trait.

    /// Counts the GPU time in the window; `gpu` is in the schema.
    JobGains(std::optional<std::size_t> gpu, Window window) : gpu_(gpu), window_(window) {}

    /// As Meter::stint_over() tells it; the job stays where it is until job() has it.
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);
    /// The record of a job is complete.
    void job(const JobRecord& record, const Labels& labels);
    /// The run is over: the time of jobs that did not finish goes on until now.
    void finish(SimTime now);
    /// Adds `ettr_mean` and, in a cluster with GPUs, `goodput` of a kind.
    void add_to(std::vector<Metric>& out, JobTrait trait, const std::string& label) const;

private:
    __extension__ using Wide = __int128;
    struct HeldTime {
        Wide useful = 0;
        Wide all = 0;
    };
    struct Kind {
        HeldTime held;
        SumByArrival shares{};  ///< Of the time since their first start.
        std::uint64_t jobs = 0;
    };
    struct Unfinished {
        std::uint64_t arrival = 0;
        SimTime kept{};
        SimTime first_start{};
        std::array<Kind*, job_trait_count> kinds{};
    };
    static void count(const std::array<Kind*, job_trait_count>& kinds,
                      std::uint64_t place,
                      SimTime kept,
                      SimTime time);

    std::optional<std::size_t> gpu_;
    Window window_;
    std::unordered_map<const Job*, HeldTime> held_;  ///< Of jobs without a complete record.
    std::array<std::map<std::string, Kind>, job_trait_count> kinds_;
    std::vector<Unfinished> unfinished_;
};

}  // namespace berth::sim
