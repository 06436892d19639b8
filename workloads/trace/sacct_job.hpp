#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace/array_tasks.hpp"
#include "workloads/trace/slurm_amounts.hpp"
#include "workloads/trace/text_blocks.hpp"
#include "workloads/trace/trace_clock.hpp"
#include "workloads/trace/trace_job.hpp"
#include "workloads/trace/trace_reader.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads::sacct {

/// The columns of Slurm's accounting that are read.
enum Column : std::size_t {
    job_id,
    submit,
    user,
    account,
    partition,
    eligible,
    start,
    end,
    elapsed,
    elapsed_raw,
    time_limit,
    time_limit_raw,
    state,
    alloc_tres,
    req_tres,
    alloc_gres,
    req_gres,
    n_nodes,
    alloc_nodes,
    req_nodes,
    n_cpus,
    alloc_cpus,
    req_cpus,
    req_mem,
    priority,
    dependency,
    node_list,
    cluster,
    column_count,
};

/// The name that sacct has for each Column.
inline constexpr std::array<std::string_view, column_count> column_names{
    "JobID",     "Submit",    "User",       "Account",   "Partition",    "Eligible", "Start",
    "End",       "Elapsed",   "ElapsedRaw", "Timelimit", "TimelimitRaw", "State",    "AllocTRES",
    "ReqTRES",   "AllocGRES", "ReqGRES",    "NNodes",    "AllocNodes",   "ReqNodes", "NCPUS",
    "AllocCPUS", "ReqCPUS",   "ReqMem",     "Priority",  "Dependency",   "NodeList", "Cluster"};

/// A date as sacct prints it; with SLURM_TIME_FORMAT=%s it is in seconds since 1970.
[[nodiscard]] std::optional<sim::SimTime> parse_slurm_date(std::string_view text);

/// Whether a cell for a date or a length of time says that there is none.
[[nodiscard]] bool is_no_time(std::string_view cell);

/// What accounting says about one job, as sacct --parsable2 prints it; missing cells are empty.
class Cells {
public:
    virtual ~Cells() = default;
    [[nodiscard]] virtual std::string_view text(std::size_t column) const = 0;
    /// Throws a RowError at the cell: `what 'cell': expected ...`.
    [[noreturn]] virtual void fail(std::size_t column,
                                   std::string_view what,
                                   std::string_view expected) const = 0;
};

/// Makes jobs from accounting data, whatever its format, and counts what users should know about
/// them.
class Jobs {
public:
    explicit Jobs(TraceArrival arrival) : arrival_(arrival) {}

    /// Reads a job, with times on the clock of accounting. Returns false for a step of another job.
    /// Nothing is counted before keep(), so that cells can be tried in several ways.
    /// Errors: RowError.
    [[nodiscard]] bool read(const Cells& cells, TraceJob& job);
    /// The unmodelled fields of the job that was read last. A reader adds those that only it knows
    /// of.
    [[nodiscard]] FoundFields& found() { return found_; }
    /// Confirms the job that was read: sets its times relative to the trace's zero, and counts it.
    /// A waiting array becomes its first task here; next_task() gives the others.
    void keep(TraceJob& job);
    [[nodiscard]] bool next_task(TraceJob& job);
    /// What users should know, with counts, one line each.
    [[nodiscard]] std::vector<std::string> remarks() const;

private:
    enum Remark : std::size_t {
        eligible_later,
        changed_clock,
        component,
        several_models,
        allocated_models,
        throttled,
        still_running,
        other_dependency,
        uneven_gpus,
        large_priority,
        remark_count,
    };

    void read_name(const Cells& cells, TraceJob& job);
    void read_amounts(const Cells& cells, TraceJob& job);
    void read_models(const Cells& cells, TraceJob& job);
    void read_times(const Cells& cells, TraceJob& job);
    void note_present(const Cells& cells, TraceJob& job) const;
    void find_fields(const Cells& cells);

    TraceArrival arrival_;
    TraceClock clock_;
    std::array<bool, remark_count> holds_{};  ///< Which remarks apply to the job that was read
                                              ///< last.
    std::array<std::uint64_t, remark_count> counts_{};
    FoundFields found_;  ///< The unmodelled fields of the job that was read last.
    FieldCounts fields_;
    std::string cluster_;        ///< The cluster of the job that was read last.
    std::string first_cluster_;  ///< The first cluster that was named; empty: none so far.
    ArrayTasks tasks_;           ///< The tasks of a waiting array that next_task() has still to
                                 ///< give.
    TraceJob of_task_;
};

/// Reads the jobs that Slurm's programs print as JSON.
[[nodiscard]] std::unique_ptr<TraceReader> make_json_reader(TextBlocks text,
                                                            const TraceOptions& options);

}  // namespace berth::workloads::sacct
