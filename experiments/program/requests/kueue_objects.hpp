#pragma once

#include "core/kueue/cache.hpp"
#include "experiments/program/requests/request_field.hpp"

namespace berth::experiments {

/// The objects of a request of kind `cycle`: flavors, cohorts, ClusterQueues, and what holds for
/// all of them.
/// Errors: RequestError.
[[nodiscard]] core::kueue::CacheSpec read_kueue_objects(const RequestField& request);

}  // namespace berth::experiments
