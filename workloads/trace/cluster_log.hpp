#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/clock/time.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// Cells of a log of jobs that was written as a table of pandas: totals of all nodes, dates, states
/// of Slurm.
class ClusterLog {
public:
    /// The rows outlive it.
    explicit ClusterLog(const CsvRows& rows) : rows_(rows) {}

    /// Whether a cell is empty, or says that there is nothing.
    [[nodiscard]] bool missing(std::size_t column) const;
    /// Errors: RowError: no date.
    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column) const;
    /// Unknown if the cell is empty.
    /// Errors: RowError: no state of Slurm.
    [[nodiscard]] TraceStatus status(std::size_t column) const;
    /// Errors: RowError: the job ends before it starts.
    void check_times(const TraceJob& job, std::size_t end_column) const;
    /// The log has totals; a job's nodes get equal shares, rounded up.
    [[nodiscard]] static std::int64_t per_member(std::int64_t total, core::Members members) {
        return (total + members - 1) / members;
    }

private:
    const CsvRows& rows_;
};

}  // namespace berth::workloads
