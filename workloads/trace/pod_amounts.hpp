#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace/json_row.hpp"
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

/// Reads what a pod asks for as a cluster's scheduler counts it: its containers together, or more
/// if its init containers need more on their way, unless the pod states its own; and its overhead.
/// What is only limited is requested as well; a resize in place counts as it does there. `pod`: or
/// a template of pods.
///
/// Fills cpu_milli, memory_bytes and gpus, which are `nvidia.com/gpu`.
/// Errors: RowError.
void read_pod_amounts(const JsonRow& row, std::optional<JsonRow::Index> pod, TraceJob& job);

/// Reads how long a cluster lets a pod run (`activeDeadlineSeconds`) as its time limit, if it says
/// so. `pod`: or a template of pods. Errors: RowError.
void read_pod_time_limit(const JsonRow& row, std::optional<JsonRow::Index> pod, TraceJob& job);

/// The names of the resources that a pod asks for and that jobs of traces do not have, each once,
/// in the order of the alphabet. Errors: RowError.
[[nodiscard]] std::vector<std::string> other_resources(const JsonRow& row,
                                                       std::optional<JsonRow::Index> spec);

/// How many jobs ask for resources that jobs of traces do not have.
class OtherResources {
public:
    /// Counts one job that asks for these.
    void count(const std::vector<std::string>& resources);
    /// What users should know of it, a line for each resource.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    std::map<std::string, std::uint64_t> jobs_;  ///< By resource.
};

/// What a pod's spec says of the nodes on which it may run, as JSON: those parts of it. The same
/// text says the same.
[[nodiscard]] std::string node_rules(const JsonRow& row, std::optional<JsonRow::Index> spec);

/// Where the last finishedAt of a Pod's containers stands, if all of them have one.
/// Errors: RowError: no date.
[[nodiscard]] std::optional<JsonRow::Index> last_end_of_containers(const JsonRow& row);

}  // namespace berth::workloads
