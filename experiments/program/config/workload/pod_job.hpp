#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/value.hpp"
#include "core/tree/ids.hpp"

namespace berth::experiments {

/// The job that a pod is a part of.
struct PodJob {
    std::string name;      ///< With the namespace in front, as pods are named.
    bool is_gang = false;  ///< Its pod group says that its pods start together.
    /// How many of its pods start together, as the pod's labels say; 0: they do not.
    core::Members min = 0;
};

/// Which job a pod belongs to: that of its pod group, or else its LeaderWorkerSet's group, its
/// JobSet, its job of Kubeflow or Volcano, its Job, or whatever else controls it. Nothing: nobody,
/// or who keeps a number of pods that each start by themselves, such as a ReplicaSet.
///
/// Errors: recorded: a number of pods that is none.
[[nodiscard]] std::optional<PodJob> job_of_pod(const core::Value& pod,
                                               core::Diagnostics& diagnostics);

/// Whether a label or an annotation of this name says something of a pod's job.
[[nodiscard]] bool tells_job(std::string_view key);

/// The kind of what controls a pod, such as `ReplicaSet`; "" of a pod by itself.
[[nodiscard]] std::string owner_kind(const core::Value& pod);

/// The name of that; "" of a pod by itself.
[[nodiscard]] std::string owner_name(const core::Value& pod);

/// What a job's pods of one kind are called, such as `worker`; "" where nothing says it.
[[nodiscard]] std::string role_of_pod(const core::Value& pod);

/// NAMESPACE/NAME, or NAME without a namespace.
[[nodiscard]] std::string name_in_namespace(const core::Value& object, std::string_view name);

/// How many pods of a PodGroup start together, if it says so.
[[nodiscard]] std::optional<core::Members> min_of_pod_group(const core::Value& pod_group,
                                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
