#pragma once

#include <vector>

#include "core/kueue/feature_gates.hpp"
#include "core/kueue/node_affinity.hpp"
#include "experiments/program/requests/request_field.hpp"

namespace berth::experiments {

/// What both kinds of Kueue's requests have. Errors of all: RequestError.

/// Feature gates by their names in Kueue; those that are not named are as Kueue has them.
[[nodiscard]] core::kueue::FeatureGates read_feature_gates(const RequestField& gates);
[[nodiscard]] std::vector<core::kueue::Taint> read_taints(const RequestField& taints);
[[nodiscard]] std::vector<core::kueue::Toleration> read_tolerations(const RequestField& list);
[[nodiscard]] std::vector<core::kueue::LabelExpression> read_expressions(const RequestField& list);
/// `{matchExpressions, matchFields}`.
[[nodiscard]] core::kueue::NodeSelectorTerm read_node_selector_term(const RequestField& term);

}  // namespace berth::experiments
