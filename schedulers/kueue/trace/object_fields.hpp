#pragma once

#include "workloads/unmodelled/pod_fields.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// Fields that a run does not model, in Kueue's objects and those that Kueue admits. The pods of a
/// Workload or a Job are not included; for a Workload, `reader` is either `running` or `admitted`.
[[nodiscard]] const FieldTable& workload_fields(PodReader reader);
[[nodiscard]] const FieldTable& batch_job_fields();
[[nodiscard]] const FieldTable& kueue_configuration_fields();
/// For a LocalQueue if the Configuration does not turn admissionFairSharing on.
[[nodiscard]] const FieldTable& unshared_queue_fields();

}  // namespace berth::workloads
