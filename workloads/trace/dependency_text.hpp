#pragma once

#include <string_view>
#include <vector>

#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// The jobs that must come before another, as a text names them.
struct DependencyText {
    std::vector<TraceDependency> after;
    bool whole = true;  ///< False if the text also has parts that are not modelled.
};

/// Reads dependencies as Slurm writes them, such as `afterok:12:13,afterany:14_*(unfulfilled)` and
/// `after:15+10`, in minutes; and names alone, such as `12,13`, for jobs that have to succeed.
/// `afternotok`, `aftercorr`, `expand`, `singleton`, and alternatives (`?`) are not modelled.
[[nodiscard]] DependencyText parse_dependencies(std::string_view text);

}  // namespace berth::workloads
