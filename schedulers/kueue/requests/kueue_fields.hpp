#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/support/node_rule_fields.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::experiments {

/// Reads what both kinds of Kueue requests have in common. Errors of all functions: RequestError.

/// Reads feature gates by their names in Kueue; gates that are not named have Kueue's defaults.
[[nodiscard]] core::kueue::FeatureGates read_feature_gates(const RequestField& gates);

/// Reads a workload in a request of kind `cycle`. Its queue is not looked up.
/// Errors: RequestError.
[[nodiscard]] core::kueue::Workload read_kueue_workload(const RequestField& field,
                                                        const core::kueue::FeatureGates& gates,
                                                        core::kueue::Names& names);

/// Reads an amount: a whole number in the unit in which it is counted (milli-CPU, bytes), or a
/// Kubernetes quantity, rounded up. A value beyond 2^63 - 1 means no limit.
[[nodiscard]] core::Amount read_kueue_amount(const RequestField& field, std::string_view resource);

/// Reads seconds, which may have decimals.
[[nodiscard]] core::kueue::Time read_kueue_time(const RequestField& field);

}  // namespace berth::experiments
