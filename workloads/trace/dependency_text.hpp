#pragma once

#include <string_view>
#include <vector>

#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// What a text says of the jobs that a job comes after.
struct DependencyText {
    std::vector<TraceDependency> after;
    bool whole = true;  ///< Otherwise there is more in it that is not modelled.
};

/// Reads dependencies as Slurm writes them, such as `afterok:12:13,afterany:14_*(unfulfilled)` and
/// `after:15+10`, in minutes; and names alone, `12,13`, which are jobs that have to succeed.
/// `afternotok`, `aftercorr`, `expand`, `singleton`, and dependencies of which one is enough (`?`)
/// are not modelled.
[[nodiscard]] DependencyText parse_dependencies(std::string_view text);

}  // namespace berth::workloads
