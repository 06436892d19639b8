#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/trace/json_row.hpp"
#include "workloads/trace/trace_job.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// What Kueue admits as one, and what users of the trace should know about how it was read.
struct KueueJob {
    TraceJob job;
    /// Resources that its pods ask for and that jobs of traces do not have.
    std::vector<std::string> others;
    FoundFields pods_say{};     ///< By which no run goes.
    FoundFields object_says{};  ///< The same, of the Workload or Job itself.
    bool ran_before = false;    ///< It was evicted, and started anew.
    /// It has several pod sets whose pods ask for the same, and which were read as one group.
    bool has_several_sets = false;
};

/// Reads a pod, or the template of one, into a job: what it asks for, and where it is to lie, as
/// the annotations of its metadata say.
/// Errors: RowError: what a run does not model, such as slices, by its name.
void read_pod_template(const JsonRow& row, std::optional<JsonRow::Index> pod, KueueJob& out);

/// Reads the topologyRequest of a pod set. Returns nothing where it does not say where pods lie.
/// Errors: RowError: the same.
[[nodiscard]] std::optional<TraceTopology> read_topology_request(const JsonRow& row,
                                                                 JsonRow::Index request);

/// Reads a Workload of Kueue's, whose pods are one pod set, or several that ask for the same.
/// `version`: of the API, `v1beta1` or `v1beta2`.
/// Errors: RowError: what Kueue's webhook refuses, and what a run does not model.
[[nodiscard]] KueueJob read_workload_object(const JsonRow& row, const std::string& version);

/// Reads a Job of Kubernetes without its name, its queue and its priority. Errors: RowError.
[[nodiscard]] KueueJob read_batch_job(const JsonRow& row);

/// Reads a Pod without its name, its queue and its priority. Errors: RowError.
[[nodiscard]] KueueJob read_queued_pod(const JsonRow& row);

/// The times of a Workload, by its conditions. Its name, and whether it is active, do not matter.
/// Errors: RowError.
void read_workload_times(const JsonRow& row, KueueJob& out);

/// Whether one of the object's conditions is true.
[[nodiscard]] bool has_condition(const JsonRow& row, std::string_view type);

}  // namespace berth::workloads
