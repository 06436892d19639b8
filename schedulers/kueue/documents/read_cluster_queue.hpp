#pragma once

#include <string>

#include "core/support/value.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {

/// Reads the spec of a ClusterQueue, with Kueue's defaults.
/// Errors: recorded at their places for what Kueue's webhook refuses, and for what is not modelled.
/// Source: Kueue, apis/kueue/v1beta2/clusterqueue_types.go, pkg/webhooks/clusterqueue_webhook.go.
[[nodiscard]] core::kueue::ClusterQueue read_cluster_queue(const core::Value& spec,
                                                           std::string name,
                                                           core::kueue::Names& names,
                                                           core::Diagnostics& diagnostics);

/// Reads the spec of a Cohort, likewise.
[[nodiscard]] core::kueue::Cohort read_cohort(const core::Value& spec,
                                              std::string name,
                                              core::kueue::Names& names,
                                              core::Diagnostics& diagnostics);

/// Reads the spec of a LocalQueue, likewise.
[[nodiscard]] sim::KueueLocalQueue read_local_queue(const core::Value& spec,
                                                    core::Diagnostics& diagnostics);

}  // namespace berth::experiments
