#pragma once

#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"

namespace berth::experiments {

// Objects of Kubernetes in files that an experiment names. `documents` are those of the file, and
// `named` is the value with its name, for errors.

/// What is read of the objects that count for a scheduler.
/// Errors: core::InputError if there is none.
[[nodiscard]] std::vector<core::Value> cluster_objects_in(const std::vector<core::Value>& documents,
                                                          const core::Value& named,
                                                          const SchedulerDocuments& scheduler);

/// What is read of the object that keeps pods, such as a Deployment, or a List of several. Of
/// several, ReplicaSets that another object controls are left out.
/// Errors: core::InputError if there is none.
[[nodiscard]] core::Value object_with_pods_in(const std::vector<core::Value>& documents,
                                              const core::Value& named);

}  // namespace berth::experiments
