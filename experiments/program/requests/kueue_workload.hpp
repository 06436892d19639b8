#pragma once

#include <string>

#include "core/kueue/cache.hpp"
#include "core/kueue/workload.hpp"
#include "experiments/program/requests/request_field.hpp"

namespace berth::experiments {

/// A workload of a request of kind `cycle`. Its queue is not looked up.
/// Errors: RequestError.
[[nodiscard]] core::kueue::Workload read_kueue_workload(const RequestField& field,
                                                        const core::kueue::FeatureGates& gates,
                                                        core::kueue::Names& names);

/// Seconds, which may have decimals.
[[nodiscard]] core::kueue::Time read_kueue_time(const RequestField& field);

}  // namespace berth::experiments
