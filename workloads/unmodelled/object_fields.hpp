#pragma once

#include "workloads/unmodelled/pod_fields.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// What objects of other kinds than Pods and Nodes say by which no run goes. Of a Workload and a
/// Job without their pods; of a Workload `reader` is either `running` or `kueue`.
[[nodiscard]] const FieldTable& workload_fields(PodReader reader);
[[nodiscard]] const FieldTable& batch_job_fields();
[[nodiscard]] const FieldTable& resource_flavor_fields();
[[nodiscard]] const FieldTable& kueue_configuration_fields();
[[nodiscard]] const FieldTable& elastic_quota_fields();
[[nodiscard]] const FieldTable& device_fields();
/// Of a LocalQueue where the Configuration does not turn admissionFairSharing on.
[[nodiscard]] const FieldTable& unshared_queue_fields();

}  // namespace berth::workloads
