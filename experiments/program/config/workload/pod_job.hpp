#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/value.hpp"
#include "core/tree/ids.hpp"

namespace berth::experiments {

/// The job that a pod is part of.
struct PodJob {
    std::string name;      ///< Has the namespace in front, like names of pods.
    bool is_gang = false;  ///< Whether its pod group says that its pods start together.
    /// How many of its pods start together, as the pod's labels say; 0: none.
    core::Members min = 0;
};

/// The job that a pod belongs to: that of its pod group, or else its LeaderWorkerSet's group, its
/// JobSet, its job of Kubeflow or Volcano, its Job, or any other controller. Nothing for a pod
/// without a controller, or with one that keeps up a number of pods which each start by themselves,
/// such as a ReplicaSet.
///
/// Errors: recorded for a number of pods that is not a number.
[[nodiscard]] std::optional<PodJob> job_of_pod(const core::Value& pod,
                                               core::Diagnostics& diagnostics);

/// Whether a label or an annotation of this name tells something about a pod's job.
[[nodiscard]] bool tells_job(std::string_view key);

/// The kind of the pod's controller, such as `ReplicaSet`; "" if it has none.
[[nodiscard]] std::string owner_kind(const core::Value& pod);

/// The name of the pod's controller; "" if it has none.
[[nodiscard]] std::string owner_name(const core::Value& pod);

/// The name of the role that a pod has in its job, such as `worker`; "" if it is not told.
[[nodiscard]] std::string role_of_pod(const core::Value& pod);

/// NAMESPACE/NAME, or NAME without a namespace.
[[nodiscard]] std::string name_in_namespace(const core::Value& object, std::string_view name);

/// How many pods of a PodGroup start together, if it says so.
[[nodiscard]] std::optional<core::Members> min_of_pod_group(const core::Value& pod_group,
                                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
