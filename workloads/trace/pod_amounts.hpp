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

/// The status that a pod's `status.phase` means.
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

/// Reads a pod's requests as the scheduler of a cluster counts them: the sum over its containers,
/// or more if its init containers need more before them, unless the pod states its own; plus its
/// overhead. A resource that is only limited counts as requested, and a resize in place counts as
/// it does in a cluster. `pod` may also be a pod template.
///
/// Fills cpu_milli, memory_bytes and gpus, which are `nvidia.com/gpu`.
/// Errors: RowError.
void read_pod_amounts(const JsonRow& row, std::optional<JsonRow::Index> pod, TraceJob& job);

/// Reads how long a cluster lets a pod run (`activeDeadlineSeconds`) as its time limit, if the pod
/// says so. `pod` may also be a pod template. Errors: RowError.
void read_pod_time_limit(const JsonRow& row, std::optional<JsonRow::Index> pod, TraceJob& job);

/// The names of the resources that a pod requests and that jobs of traces cannot have, each once,
/// in alphabetical order. Errors: RowError.
[[nodiscard]] std::vector<std::string> other_resources(const JsonRow& row,
                                                       std::optional<JsonRow::Index> spec);

/// Counts how many jobs request resources that jobs of traces cannot have.
class OtherResources {
public:
    /// Counts one job that requests these resources.
    void count(const std::vector<std::string>& resources);
    /// Notes for users, one line for each resource.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    std::map<std::string, std::uint64_t> jobs_;  ///< Number of jobs for each resource.
};

/// The parts of a pod's spec that say on which nodes it may run, as JSON, and under `metadata` the
/// parts of its metadata that other pods see. Equal texts have equal meaning.
[[nodiscard]] std::string node_rules(const JsonRow& row,
                                     std::optional<JsonRow::Index> spec,
                                     std::optional<JsonRow::Index> metadata = std::nullopt);

/// The last finishedAt among a Pod's containers, if all of them have one.
/// Errors: RowError for a value that is no date.
[[nodiscard]] std::optional<JsonRow::Index> last_end_of_containers(const JsonRow& row);

}  // namespace berth::workloads
