#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/clock/time.hpp"
#include "workloads/trace/fingerprint_set.hpp"
#include "workloads/trace/trace_findings.hpp"
#include "workloads/trace/trace_job.hpp"
#include "workloads/trace/trace_plan.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {

/// How much is in use over time, as a staircase of a few thousand steps: starts and ends may be
/// added in any order, and the steps get wider as the time span grows.
///
/// Cost: O(log steps) for each entry, and memory for 4096 steps.
class DemandCurve {
public:
    /// Changes the amount in use from `at` on; a negative amount decreases it.
    void add(sim::SimTime at, double amount);

    /// The time from the first entry until the level first reaches its median over the time up to
    /// `end`. Nothing if there is no demand.
    [[nodiscard]] std::optional<sim::SimTime> warm_up(sim::SimTime end) const;

private:
    [[nodiscard]] std::int64_t step_of(sim::SimTime at) const;
    void widen();

    sim::SimTime width_{1'000'000'000};
    std::map<std::int64_t, double> changes_;  ///< The sum of all changes in each step.
};

/// How much a cluster can hold at most, which tells whether a job could ever run there.
///
/// Cost: O(kinds of servers) for each job.
class ClusterLimits {
public:
    /// `left_out`: servers that are not part of the cluster, in the order of their numbers.
    explicit ClusterLimits(const core::Topology& tree,
                           std::span<const core::ServerId> left_out = {});

    /// Why the job could not run even if the cluster were empty; nothing: it could.
    [[nodiscard]] std::optional<TraceFault> obstacle(const TraceJob& job) const;

    /// Capacity of the whole cluster; nothing for a resource that the cluster does not count.
    ///
    /// Units:  milli-CPU, bytes, milli-GPU.
    [[nodiscard]] std::optional<double> cpu() const { return cpu_; }
    [[nodiscard]] std::optional<double> memory() const { return memory_; }
    /// Capacity in GPUs of these models; in all GPUs if there are no models.
    [[nodiscard]] double gpus(const std::vector<std::string>& models) const;

private:
    /// Servers that are equal in the resources that matter here.
    struct Kind {
        core::Amount cpu_milli = 0;
        core::Amount memory_bytes = 0;
        std::vector<std::pair<std::string, std::int64_t>> gpus;  ///< Number of GPUs by model; "":
                                                                 ///< the model is not told.
        std::int64_t servers = 0;
    };
    [[nodiscard]] static std::int64_t accepted_gpus(const Kind& kind,
                                                    const std::vector<std::string>& models);
    [[nodiscard]] static core::Members room_on(const Kind& kind, const TraceJob& job);

    std::vector<Kind> kinds_;
    std::optional<double> cpu_;
    std::optional<double> memory_;
};

enum class TraceVerdict : std::uint8_t { usable, with_care, not_usable };
[[nodiscard]] std::string_view to_string(TraceVerdict verdict);
[[nodiscard]] std::string_view to_string(TraceStatus status);
inline constexpr std::size_t trace_status_count = 8;

/// What all jobs together request of one resource.
///
/// Units:  CPUs, bytes, GPUs.
struct TraceLoad {
    std::string name;    ///< `cpu`, `memory`, `gpu`, or GPU models that a job accepts: `A|B`.
    double asked = 0;    ///< Requested by all jobs, whenever they run.
    double average = 0;  ///< Average over the time of arrivals, as if every job started at once.
    /// Capacity of the cluster; nothing if there is no cluster or it does not count this resource.
    std::optional<double> capacity;
};

/// The result of looking through a whole trace.
struct TraceReport {
    TraceVerdict verdict = TraceVerdict::usable;
    std::vector<std::string> why;  ///< Reasons for a verdict other than usable.
    std::vector<TraceFinding> findings;

    std::uint64_t jobs = 0;
    std::uint64_t pods = 0;
    SkippedRows skipped;
    std::array<std::uint64_t, trace_status_count> by_status{};
    std::map<core::Members, std::uint64_t> by_size;  ///< Number of jobs by members, rounded up to a
                                                     ///< power of two.
    std::optional<sim::SimTime> first_submit;
    std::optional<sim::SimTime> last_submit;
    std::optional<double> mean_run_time_s;
    std::uint64_t busiest_hour_jobs = 0;
    std::optional<sim::SimTime> warm_up;  ///< Time until the demand first reaches its median.
    std::vector<TraceLoad> loads;         ///< For those of cpu, memory and gpu that are requested.
    std::vector<TraceLoad> gpu_models;    ///< For each set of models, for the jobs that can run on
                                          ///< no other models.
};

/// Looks through a trace, job by job, for what would mislead a simulation.
///
/// Cost: one pass; 11 to 21 bytes for the name of each job, and a few hundred kilobytes in all.
class TraceDoctor {
public:
    /// `tree`: the cluster that the trace is meant for, or nullptr if it is not known. `times`: if
    /// a plan ignores them, the time that the cluster takes to fill is not examined. `left_out`:
    /// servers that are not part of the cluster, in the order of their numbers.
    explicit TraceDoctor(const core::Topology* tree,
                         TraceTimes times = TraceTimes::recorded,
                         std::span<const core::ServerId> left_out = {});

    void look(const TraceJob& job, std::uint64_t line);
    [[nodiscard]] TraceReport report(const SkippedRows& skipped) const;

private:
    /// The demand for one resource, as jobs are looked at.
    struct Sum {
        double asked = 0;
        double seconds = 0;       ///< Amount times run time, summed over the jobs that end.
        double endless = 0;       ///< Amount requested by jobs that still run at the end.
        double endless_from = 0;  ///< Amount times begin, summed over the jobs that still run at
                                  ///< the end.
        void add(double amount, const TraceJob& job);
        [[nodiscard]] TraceLoad load(std::string name,
                                     std::optional<sim::SimTime> begin,
                                     std::optional<sim::SimTime> end,
                                     std::optional<double> capacity) const;
    };
    void check_times(const TraceJob& job, std::uint64_t line);
    void check_status(const TraceJob& job, std::uint64_t line);
    void count_arrival(const TraceJob& job, std::uint64_t line);
    void count_demand(const TraceJob& job, std::uint64_t line);
    void add_loads(TraceReport& report) const;
    void add_findings(TraceReport& report) const;

    std::optional<ClusterLimits> limits_;
    TraceTimes times_;
    TraceReport report_;
    TraceFaults faults_;
    FingerprintSet names_;
    std::map<std::int64_t, std::uint64_t> by_hour_;
    std::optional<sim::SimTime> latest_submit_;
    std::optional<sim::SimTime> last_instant_;
    TraceFaultCount at_last_instant_;  ///< Jobs that end at the last instant.
    std::uint64_t contradictory_ = 0;  ///< Jobs with at least one contradiction.
    double run_time_s_ = 0;
    std::uint64_t with_run_time_ = 0;
    DemandCurve curve_of_gpus_;
    DemandCurve curve_of_cpus_;
    Sum cpu_;
    Sum memory_;
    Sum gpu_;
    std::map<std::vector<std::string>, Sum> by_models_;
};

/// Looks through the rest of a trace.
/// Errors: InputError from the reader.
[[nodiscard]] TraceReport examine(TraceReader& reader,
                                  const core::Topology* tree,
                                  TraceTimes times = TraceTimes::recorded,
                                  std::span<const core::ServerId> left_out = {});

/// Looks through a trace while another reader reads it.
class ExaminedReader final : public TraceReader {
public:
    ExaminedReader(TraceReader& reader, TraceDoctor& doctor) : reader_(reader), doctor_(doctor) {}

    [[nodiscard]] bool next(TraceJob& job) override {
        const bool found = reader_.next(job);
        if (found) {
            doctor_.look(job, reader_.line());
        }
        return found;
    }
    [[nodiscard]] std::uint64_t line() const override { return reader_.line(); }
    [[nodiscard]] const SkippedRows& skipped() const override { return reader_.skipped(); }
    [[nodiscard]] std::vector<std::string> notes() const override { return reader_.notes(); }

private:
    TraceReader& reader_;
    TraceDoctor& doctor_;
};

}  // namespace berth::workloads
