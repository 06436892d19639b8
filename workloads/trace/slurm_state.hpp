#pragma once

#include <optional>
#include <string_view>

#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

inline constexpr std::string_view slurm_states =
    "a state of Slurm such as COMPLETED, FAILED, CANCELLED, TIMEOUT or NODE_FAIL";

/// What a state of Slurm's accounting means, even one that names who cancelled: `CANCELLED by
/// 1000`.
[[nodiscard]] std::optional<TraceStatus> status_of_slurm_state(std::string_view state);

}  // namespace berth::workloads
