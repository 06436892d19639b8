#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The pods of a Pod, PodList or List that have not ended.
[[nodiscard]] std::vector<const core::Value*> living_pods(const core::Value& document);

/// Reorders pods without a node, among their own places, so that the one created first comes first,
/// like such pods in a cluster's queue.
void order_pending_by_age(std::vector<const core::Value*>& pods);

/// Whether a pod runs on a node, by its spec.
[[nodiscard]] bool has_node(const core::Value& pod);

/// Whether a pod has ended, by its phase.
[[nodiscard]] bool has_ended(const core::Value& pod);

/// The objects of a kind in a List, or the document itself if it is one.
[[nodiscard]] std::vector<const core::Value*> objects_of_kind(const core::Value& document,
                                                              std::string_view kind);

/// What a pod requests of shared GPUs by annotations, which say more than its resources; nothing if
/// it has none.
[[nodiscard]] std::optional<core::GpuRequest> shared_gpus(const core::Value& pod,
                                                          core::Diagnostics& diagnostics);

/// The prefix of annotations about shared GPUs: gpu-milli, gpu-count, gpu-card-model.
inline constexpr std::string_view gpu_share = "alibabacloud.com/gpu-";

/// The members under the given keys; a value without members for nullptr. Nulls are left out, since
/// the API server takes them for absent.
[[nodiscard]] core::Value picked(const core::Value* map,
                                 std::initializer_list<std::string_view> keys);
/// Keeps the parts of a pod's spec, or of its template's, that are read.
void trim_pod_spec(core::Value& spec);

/// A Pod, PodList or List reduced to what read_running() reads, so that it can be a part of an
/// experiment. `times`: also keeps when pods started and, for ended pods, when they ended.
/// `labels`: keeps all labels, and not only those that tell a pod's job, quota or queue.
[[nodiscard]] core::Value trimmed_pods(const core::Value& document, bool times, bool labels);

}  // namespace berth::experiments
