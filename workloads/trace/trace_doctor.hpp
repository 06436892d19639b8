#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
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
/// given in any order, and the steps get wider as the time gets longer.
///
/// Cost: O(log steps) an entry, and memory for 4096 steps.
class DemandCurve {
public:
    /// From `at` on, so much more is in use or, if negative, less.
    void add(sim::SimTime at, double amount);

    /// The time from the first entry until the level first reaches the median that it has over the
    /// time up to `end`. Nothing while there is nothing to see.
    [[nodiscard]] std::optional<sim::SimTime> warm_up(sim::SimTime end) const;

private:
    [[nodiscard]] std::int64_t step_of(sim::SimTime at) const;
    void widen();

    sim::SimTime width_{1'000'000'000};
    std::map<std::int64_t, double> changes_;  ///< By step: all that happen in it, together.
};

/// What a cluster can hold at most, to tell whether a job could ever run there.
///
/// Cost: O(kinds of servers) a job.
class ClusterLimits {
public:
    explicit ClusterLimits(const core::Topology& tree);

    /// Why the job could not run if the cluster were empty; nothing: it could.
    [[nodiscard]] std::optional<TraceFault> obstacle(const TraceJob& job) const;

    /// Units:  milli-CPU, bytes, milli-GPU; nothing for what the cluster does not count.
    [[nodiscard]] std::optional<double> cpu() const { return cpu_; }
    [[nodiscard]] std::optional<double> memory() const { return memory_; }
    /// Of the models; of all without any.
    [[nodiscard]] double gpus(const std::vector<std::string>& models) const;

private:
    /// Servers that are alike in what matters here.
    struct Kind {
        core::Amount cpu_milli = 0;
        core::Amount memory_bytes = 0;
        std::vector<std::pair<std::string, std::int64_t>> gpus;  ///< By model; "": not told.
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

/// What all jobs together ask of one thing.
///
/// Units:  CPUs, bytes, GPUs.
struct TraceLoad {
    std::string name;    ///< `cpu`, `memory`, `gpu`, or GPU models that a job accepts: `A|B`.
    double asked = 0;    ///< By all jobs, whenever they run.
    double average = 0;  ///< Over the time of arrivals, as if every job started at once.
    /// Of the cluster; nothing when there is none, or it does not count this.
    std::optional<double> capacity;
};

/// What a look through a whole trace tells.
struct TraceReport {
    TraceVerdict verdict = TraceVerdict::usable;
    std::vector<std::string> why;  ///< Of a verdict other than usable.
    std::vector<TraceFinding> findings;

    std::uint64_t jobs = 0;
    std::uint64_t pods = 0;
    SkippedRows skipped;
    std::array<std::uint64_t, trace_status_count> by_status{};
    std::map<core::Members, std::uint64_t> by_size;  ///< Jobs by members, up to a power of two.
    std::optional<sim::SimTime> first_submit;
    std::optional<sim::SimTime> last_submit;
    std::optional<double> mean_run_time_s;
    std::uint64_t busiest_hour_jobs = 0;
    std::optional<sim::SimTime> warm_up;  ///< Until its demand first reaches its median.
    std::vector<TraceLoad> loads;         ///< cpu, memory, gpu: those that are asked for.
    std::vector<TraceLoad> gpu_models;    ///< By models, of jobs that can go nowhere else.
};

/// Looks through a trace, job by job, for what would mislead those who simulate with it.
///
/// Cost: one pass; 11 to 21 bytes a job for its name, and a few hundred kilobytes besides.
class TraceDoctor {
public:
    /// `tree`: the cluster that the trace is meant for; nullptr: not known. `times`: where a plan
    /// ignores them, it is not looked how long the cluster takes to fill.
    explicit TraceDoctor(const core::Topology* tree, TraceTimes times = TraceTimes::recorded);

    void look(const TraceJob& job, std::uint64_t line);
    [[nodiscard]] TraceReport report(const SkippedRows& skipped) const;

private:
    /// What is asked for, as jobs come by.
    struct Sum {
        double asked = 0;
        double seconds = 0;       ///< Times the run time, of jobs that end.
        double endless = 0;       ///< Asked by jobs that go on at the end,
        double endless_from = 0;  ///< times when they began.
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
    TraceFaultCount at_last_instant_;  ///< Jobs that end there.
    std::uint64_t contradictory_ = 0;  ///< Jobs with one contradiction or more.
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
/// Errors: InputError of the reader.
[[nodiscard]] TraceReport examine(TraceReader& reader,
                                  const core::Topology* tree,
                                  TraceTimes times = TraceTimes::recorded);

/// Looks through a trace while somebody else reads it.
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
