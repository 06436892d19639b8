#pragma once

#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// Fields that a run does not model, in objects of other kinds than Pods and Nodes.
[[nodiscard]] const FieldTable& elastic_quota_fields();
[[nodiscard]] const FieldTable& device_fields();

}  // namespace berth::workloads
