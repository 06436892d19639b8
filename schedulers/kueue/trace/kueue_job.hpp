#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/trace/json_row.hpp"
#include "workloads/trace/trace_job.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// What Kueue admits as one workload, and what users of the trace should know about how it was
/// read.
struct KueueJob {
    TraceJob job;
    /// Resources that its pods request and that jobs of traces cannot have.
    std::vector<std::string> others;
    FoundFields pods_say{};     ///< Fields of its pods that a run does not model.
    FoundFields object_says{};  ///< Fields of the Workload or Job itself that a run does not model.
    bool ran_before = false;    ///< Whether it was evicted and started anew.
    /// Whether it has several pod sets whose pods request the same, which were read as one group.
    bool has_several_sets = false;
};

/// Reads a pod or a pod template into a job: its requests, and the topology that the annotations in
/// its metadata ask for.
/// Errors: RowError for what a run does not model, such as slices, by its name.
void read_pod_template(const JsonRow& row, std::optional<JsonRow::Index> pod, KueueJob& out);

/// Reads the topologyRequest of a pod set. Returns nothing if it does not say where pods must lie.
/// Errors: the same.
[[nodiscard]] std::optional<TraceTopology> read_topology_request(const JsonRow& row,
                                                                 JsonRow::Index request);

/// Reads a Workload of Kueue, whose pods are in one pod set, or in several that request the same.
/// `version`: the API version, `v1beta1` or `v1beta2`.
/// Errors: RowError for what Kueue's webhook refuses, and for what a run does not model.
[[nodiscard]] KueueJob read_workload_object(const JsonRow& row, const std::string& version);

/// Reads a Job of Kubernetes, except for its name, its queue and its priority. Errors: RowError.
[[nodiscard]] KueueJob read_batch_job(const JsonRow& row);

/// Reads a Pod, except for its name, its queue and its priority. Errors: RowError.
[[nodiscard]] KueueJob read_queued_pod(const JsonRow& row);

/// Reads the times of a Workload from its conditions. Its name, and whether it is active, do not
/// matter here.
/// Errors: RowError.
void read_workload_times(const JsonRow& row, KueueJob& out);

/// Whether one of the object's conditions is true.
[[nodiscard]] bool has_condition(const JsonRow& row, std::string_view type);

}  // namespace berth::workloads
