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

/// What is read of Slurm's accounting.
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

/// By Column: the name that sacct has for it.
inline constexpr std::array<std::string_view, column_count> column_names{
    "JobID",     "Submit",    "User",       "Account",   "Partition",    "Eligible", "Start",
    "End",       "Elapsed",   "ElapsedRaw", "Timelimit", "TimelimitRaw", "State",    "AllocTRES",
    "ReqTRES",   "AllocGRES", "ReqGRES",    "NNodes",    "AllocNodes",   "ReqNodes", "NCPUS",
    "AllocCPUS", "ReqCPUS",   "ReqMem",     "Priority",  "Dependency",   "NodeList", "Cluster"};

/// A date as sacct prints it; with SLURM_TIME_FORMAT=%s these are seconds since 1970.
[[nodiscard]] std::optional<sim::SimTime> parse_slurm_date(std::string_view text);

/// Whether a cell of a date, or of a length of time, tells none.
[[nodiscard]] bool is_no_time(std::string_view cell);

/// What accounting tells of one job, as sacct --parsable2 prints it; what it lacks is empty.
class Cells {
public:
    virtual ~Cells() = default;
    [[nodiscard]] virtual std::string_view text(std::size_t column) const = 0;
    /// Throws a RowError at the cell: `what 'cell': expected ...`.
    [[noreturn]] virtual void fail(std::size_t column,
                                   std::string_view what,
                                   std::string_view expected) const = 0;
};

/// Makes jobs of what accounting tells, whatever it is written in, and counts what users should
/// know of them.
class Jobs {
public:
    explicit Jobs(TraceArrival arrival) : arrival_(arrival) {}

    /// Reads a job by accounting's own clock; returns false of a step of another job. Nothing
    /// counts before keep(), so that cells can be read in several ways.
    /// Errors: RowError.
    [[nodiscard]] bool read(const Cells& cells, TraceJob& job);
    /// What the job that was read last says by which no run goes. A reader adds what it alone
    /// knows.
    [[nodiscard]] FoundFields& found() { return found_; }
    /// The job that was read is one: sets its times to the trace's zero, and counts it. Of an array
    /// that waits, it becomes the first task; the others come from next_task().
    void keep(TraceJob& job);
    [[nodiscard]] bool next_task(TraceJob& job);
    /// What users should know, with counts, a line each.
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
        remark_count,
    };

    void read_name(const Cells& cells, TraceJob& job);
    void read_amounts(const Cells& cells, TraceJob& job);
    void read_models(const Cells& cells, TraceJob& job);
    void read_times(const Cells& cells, TraceJob& job);
    void find_fields(const Cells& cells);

    TraceArrival arrival_;
    TraceClock clock_;
    std::array<bool, remark_count> holds_{};  ///< Of the job that was read last.
    std::array<std::uint64_t, remark_count> counts_{};
    FoundFields found_;  ///< Likewise.
    FieldCounts fields_;
    std::string cluster_;        ///< Likewise.
    std::string first_cluster_;  ///< Empty: none was told yet.
    ArrayTasks tasks_;           ///< Of an array that waits: those that next_task() still gives.
    TraceJob of_task_;
};

/// Reads the jobs that Slurm's programs print as JSON.
[[nodiscard]] std::unique_ptr<TraceReader> make_json_reader(TextBlocks text,
                                                            const TraceOptions& options);

}  // namespace berth::workloads::sacct
