#pragma once

#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "experiments/program/support/request_field.hpp"

namespace berth::experiments {

/// Read what objects of Kubernetes say about nodes. Errors of all functions: RequestError.

[[nodiscard]] std::vector<core::Taint> read_taints(const RequestField& taints);
[[nodiscard]] std::vector<core::Toleration> read_tolerations(const RequestField& list);
[[nodiscard]] std::vector<core::LabelExpression> read_expressions(const RequestField& list);
/// Reads `{matchExpressions, matchFields}`.
[[nodiscard]] core::NodeSelectorTerm read_node_selector_term(const RequestField& term);

}  // namespace berth::experiments
