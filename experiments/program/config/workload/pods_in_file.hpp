#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The pods of a Pod, PodList or List that have not ended.
[[nodiscard]] std::vector<const core::Value*> living_pods(const core::Value& document);

/// Moves pods without a node among their places so that who was created first comes first, as such
/// pods do in a cluster's queue.
void order_pending_by_age(std::vector<const core::Value*>& pods);

/// Whether a pod runs on a node, by its spec.
[[nodiscard]] bool has_node(const core::Value& pod);

/// Whether a pod has ended, by its phase.
[[nodiscard]] bool has_ended(const core::Value& pod);

/// The objects of a kind in a List, or the document that is one.
[[nodiscard]] std::vector<const core::Value*> objects_of_kind(const core::Value& document,
                                                              std::string_view kind);

/// What a pod asks of shared GPUs by annotations, which say more than its resources do; or nothing.
[[nodiscard]] std::optional<core::GpuRequest> shared_gpus(const core::Value& pod,
                                                          core::Diagnostics& diagnostics);

/// Of a Pod, PodList or List what read_running() reads, so that it can stand in an experiment.
/// `times`: also when pods started, and of those that have ended when they did.
[[nodiscard]] core::Value trimmed_pods(const core::Value& document, bool times);

}  // namespace berth::experiments
