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

/// What is known of a trace after it was read to its end.
struct TraceScan {
    std::uint64_t jobs = 0;       ///< Jobs that arrive.
    std::uint64_t unstarted = 0;  ///< Jobs left out, because their run time is not known.
    std::uint64_t endless = 0;    ///< Arriving jobs of which the trace does not tell the end.
    std::uint64_t startless = 0;  ///< Arriving jobs of whose run the trace tells only the end.
    bool by_time = true;          ///< Whether arrivals never go back in time.
    std::optional<sim::SimTime> first_arrival;
    std::optional<sim::SimTime> last_finish;
    bool gpus = false;             ///< Whether a job requests GPUs.
    bool shares = false;           ///< Whether a job requests a share of a GPU.
    bool uneven_shares = false;    ///< Whether a job requests a share that is not in whole
                                   ///< hundredths.
    bool models = false;           ///< Whether a job requests certain GPU models.
    bool nics = false;             ///< Whether a job requests NICs.
    bool trains = false;           ///< Whether the work of a job is a number of steps.
    std::set<std::string> quotas;  ///< The names of quotas, from the field that the plan chooses.
    /// The node labels of the topology levels that a job prefers or requires.
    std::set<std::string> level_labels{};
    /// What specs of pods say about nodes, with the number of jobs that say it.
    std::map<std::string, std::uint64_t> node_rules{};
    FollowedJobs followed{};
    SkippedRows skipped;
    std::vector<std::string> notes;  ///< Notes of the reader.
    sim::SimTime zero{};             ///< The instant of the trace that becomes time 0 of the run.
};

/// When a job of a trace arrives, on the trace's own clock: when it was submitted, or when it
/// started if only that is known. Nothing: it was already there when the trace begins.
[[nodiscard]] std::optional<sim::SimTime> arrival_of(const TraceJob& job);

/// Whether a job waited in vain. Its run time is not known, and with recorded times it does not
/// arrive.
[[nodiscard]] bool never_started(const TraceJob& job);

/// The name of a job's quota, from the field that the plan chooses; empty: none.
[[nodiscard]] const std::string& quota_of(const TraceJob& job, TraceQuota quota);

/// The jobs of a trace that arrive, from no more jobs of the file than the plan's limit.
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
/// Cost:   memory for one job, and for the names of quotas. Errors: those of the reader.
[[nodiscard]] TraceScan scan_trace(TraceReader& reader, const TracePlan& plan);

/// Removes the dependencies from the scan, with a note, if the plan makes them meaningless: with
/// times ignored no job ends, and changes other than those of rate and durations leave out some
/// jobs or repeat them. Returns whether it removed them.
bool leave_out_dependencies(const TracePlan& plan, TraceScan& scan);

/// Counts the jobs that others depend on, in a second reading. Dependencies on jobs that do not
/// arrive are left out, with a note.
void count_followed(TraceReader& reader, const TracePlan& plan, TraceScan& scan);

/// Converts a job from the trace's clock to the run's. Afterwards `submit` is set and not negative,
/// `run_time` is how long the job runs from its start (nothing: until the run ends), and `start`
/// and `finish` are empty.
///
/// A job runs until its limit if nothing else tells its run time and its status allows that it has
/// ended. The scan's zero becomes 0. A job that was there before the trace begins arrives at 0 and
/// runs until its finish. A job that still runs at the last finish of the trace runs until the run
/// ends.
void set_clock(TraceJob& job, const TraceScan& scan);

/// All arriving jobs, in the plan's order, on the run's clock.
/// Cost:   about 400 bytes for each job.
[[nodiscard]] std::vector<TraceJob> load_trace(TraceReader& reader,
                                               const TracePlan& plan,
                                               const TraceScan& scan);

/// The results of scan_trace() and load_trace().
struct WholeTrace {
    TraceScan scan;
    std::vector<TraceJob> jobs;
};

/// Does the same in one reading, for callers that need all jobs in memory in any case.
[[nodiscard]] WholeTrace read_whole_trace(TraceReader& reader, const TracePlan& plan);

}  // namespace berth::workloads
