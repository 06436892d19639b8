#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workloads/trace/trace_plan.hpp"
#include "workloads/trace/trace_reader.hpp"
#include "workloads/trace/trace_ties.hpp"

namespace berth::workloads {

/// What is known of a trace once it was read to its end.
struct TraceScan {
    std::uint64_t jobs = 0;       ///< That arrive.
    std::uint64_t unstarted = 0;  ///< Left out: how long they would run is not known.
    std::uint64_t endless = 0;    ///< That arrive; the trace does not tell their end.
    std::uint64_t startless = 0;  ///< That arrive; of their run time, it tells the end alone.
    bool by_time = true;          ///< Arrivals never go back.
    std::optional<sim::SimTime> first_arrival;
    std::optional<sim::SimTime> last_finish;
    bool gpus = false;             ///< Some job asks for GPUs;
    bool shares = false;           ///< for a share of one;
    bool uneven_shares = false;    ///< for one that is not whole hundredths;
    bool models = false;           ///< for certain models;
    bool nics = false;             ///< for NICs.
    std::set<std::string> quotas;  ///< The names by the plan's choice.
    /// Labels of nodes: the levels of a topology that some job prefers or requires.
    std::set<std::string> level_labels{};
    /// What specs of pods say of nodes, and how many jobs say it.
    std::map<std::string, std::uint64_t> node_rules{};
    FollowedJobs followed{};
    SkippedRows skipped;
    std::vector<std::string> notes;  ///< Of the reader.
    sim::SimTime zero{};             ///< The instant of the trace that is the run's 0.
};

/// When a job of a trace arrives, by the trace's own clock: when it was submitted, or when it
/// started where only that is known. Nothing: it was there before the trace begins.
[[nodiscard]] std::optional<sim::SimTime> arrival_of(const TraceJob& job);

/// Whether a job waited in vain: nobody knows how long it would have run, and where times are the
/// trace's it does not arrive.
[[nodiscard]] bool never_started(const TraceJob& job);

/// The name of the quota of a job, as the plan finds it; empty: none.
[[nodiscard]] const std::string& quota_of(const TraceJob& job, TraceQuota quota);

/// The jobs of a trace that arrive, no more than the plan's limit of the file's.
///
/// A job that never started has no run time; with recorded times it does not arrive.
class TraceArrivals {
public:
    TraceArrivals(TraceReader& reader, const TracePlan& plan) : reader_(reader), plan_(plan) {}
    [[nodiscard]] bool next(TraceJob& job);
    [[nodiscard]] std::uint64_t unstarted() const { return unstarted_; }

private:
    TraceReader& reader_;
    const TracePlan& plan_;
    std::uint64_t read_ = 0;
    std::uint64_t unstarted_ = 0;
};

/// Reads a trace to its end.
/// Cost:   memory for one job, and for the names of quotas. Errors: what the reader throws.
[[nodiscard]] TraceScan scan_trace(TraceReader& reader, const TracePlan& plan);

/// Leaves dependencies out of the scan, with a note, where the plan gives them no sense: with times
/// ignored nobody ends, and its changes other than of rate and durations leave out some jobs or
/// have some twice. Returns whether it did.
bool leave_out_dependencies(const TracePlan& plan, TraceScan& scan);

/// Counts the jobs after which others come, in a second reading. Dependencies on jobs that do not
/// arrive are left out, with a note.
void count_followed(TraceReader& reader, const TracePlan& plan, TraceScan& scan);

/// From the trace's clock to the run's: `submit` is then stated and not negative, `run_time` is how
/// long the job runs from there, nothing until the run ends, and `start` and `finish` are nothing.
///
/// A job that has ended, as its status does not deny, and of whose run time nothing is told but its
/// limit, runs until that. The scan's zero becomes 0. A job that was there before the trace begins
/// comes at 0, and runs until its finish. One that still runs when the trace ends, at its last
/// finish, runs until the run ends.
void set_clock(TraceJob& job, const TraceScan& scan);

/// All jobs that arrive, in the plan's order, with the run's clock.
/// Cost:   about 400 bytes a job.
[[nodiscard]] std::vector<TraceJob> load_trace(TraceReader& reader,
                                               const TracePlan& plan,
                                               const TraceScan& scan);

/// What scan_trace() and load_trace() give.
struct WholeTrace {
    TraceScan scan;
    std::vector<TraceJob> jobs;
};

/// The same in one reading, for whoever needs all jobs in memory whatever their order.
[[nodiscard]] WholeTrace read_whole_trace(TraceReader& reader, const TracePlan& plan);

}  // namespace berth::workloads
