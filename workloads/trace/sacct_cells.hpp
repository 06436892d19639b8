#pragma once

#include <array>
#include <string>
#include <string_view>

#include "workloads/trace/sacct_job.hpp"

namespace berth::workloads::sacct {

/// The numbers of a job in the output of Slurm's programs, as texts; a number that the job lacks is
/// empty or "0".
struct JobNumbers {
    std::string own;
    std::string of_het;     ///< The heterogeneous job that the job is a component of.
    std::string component;  ///< The number of that component.
    std::string of_array;   ///< The array that the job is a task of, or whose waiting tasks it
                            ///< stands for.
    std::string task;       ///< The number of the one task.
    std::string tasks;      ///< The waiting tasks, such as `2-20`.
    std::string most;       ///< How many of the waiting tasks may run at once.
};

/// The text that sacct has in its column JobID: `12`, `12+0`, `12_3` or `12_[2-20%4]`.
[[nodiscard]] std::string job_id_of(const JobNumbers& numbers);

/// Cells that own their texts, for programs that list the present jobs: squeue and scontrol.
class CellTexts : public Cells {
public:
    [[nodiscard]] std::string_view text(std::size_t column) const final { return cells_[column]; }

protected:
    void clear();
    /// Empties the times that are only expected: these programs also print when a job will start if
    /// all goes as planned, and when it ends at the latest.
    void leave_out_expectations();

    std::array<std::string, column_count> cells_;
};

}  // namespace berth::workloads::sacct
