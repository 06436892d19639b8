#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/clock/time.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// Reads what the job logs of several GPU clusters have in common: tables written by pandas, with
/// totals over all nodes, dates, and Slurm's states.
class ClusterLog {
public:
    /// Index of each column among those that the reader asked for.
    struct Columns {
        std::size_t job_id;
        std::size_t user;
        std::size_t node_num;
        std::size_t gpu_num;
        std::size_t cpu_num;
        std::size_t state;
        std::size_t submit_time;
        std::size_t start_time;
        std::size_t end_time;
    };

    /// The rows must outlive the log.
    ClusterLog(const CsvRows& rows, const Columns& columns) : rows_(rows), columns_(columns) {}

    /// Reads these columns of the current row.
    /// Errors: RowError for a wrong cell, and for a job that ends before it starts.
    void read(TraceJob& job) const;
    /// Whether a cell is empty, or says that it has no value.
    [[nodiscard]] bool missing(std::size_t column) const;

private:
    void read_amounts(TraceJob& job) const;
    [[nodiscard]] TraceStatus status() const;
    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column) const;

    const CsvRows& rows_;
    Columns columns_;
};

}  // namespace berth::workloads
