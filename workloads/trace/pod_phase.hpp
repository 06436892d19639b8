#pragma once

#include <optional>
#include <string_view>

#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

inline constexpr std::string_view pod_phases = "Pending, Running, Succeeded, Failed or Unknown";

/// What a pod's `status.phase` says.
[[nodiscard]] inline std::optional<TraceStatus> status_of_phase(std::string_view phase) {
    if (phase == "Pending") {
        return TraceStatus::pending;
    }
    if (phase == "Running") {
        return TraceStatus::running;
    }
    if (phase == "Succeeded") {
        return TraceStatus::completed;
    }
    if (phase == "Failed") {
        return TraceStatus::failed;
    }
    return phase == "Unknown" ? std::optional(TraceStatus::unknown) : std::nullopt;
}

}  // namespace berth::workloads
