#pragma once

#include <array>
#include <string>
#include <string_view>

#include "workloads/trace/sacct_job.hpp"

namespace berth::workloads::sacct {

/// The numbers of a job in what Slurm's programs print, as texts; what it lacks is empty or "0".
struct JobNumbers {
    std::string own;
    std::string of_het;     ///< The heterogeneous job of which it is a component,
    std::string component;  ///< and which one.
    std::string of_array;   ///< The array of which it is a task, or all tasks that wait:
    std::string task;       ///< one of them,
    std::string tasks;      ///< or these, such as `2-20`;
    std::string most;       ///< of which so many may run at once.
};

/// What sacct has in its column JobID: `12`, `12+0`, `12_3` or `12_[2-20%4]`.
[[nodiscard]] std::string job_id_of(const JobNumbers& numbers);

/// Cells as texts of their own, of programs that tell of the jobs that there are: squeue, scontrol.
class CellTexts : public Cells {
public:
    [[nodiscard]] std::string_view text(std::size_t column) const final { return cells_[column]; }

protected:
    void clear();
    /// Such programs tell when a job will start if all goes as it is planned, and when it ends at
    /// the latest.
    void leave_out_expectations();

    std::array<std::string, column_count> cells_;
};

}  // namespace berth::workloads::sacct
