#pragma once

#include <string>
#include <string_view>

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers one request for a decision of kube-scheduler: a JSON object on one line, as
/// `berth kube --jsonl` reads it.
///
/// Shape:   docs/reference/kube.md; by `kind`: schedule, preempt, sequence, dra, List.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
[[nodiscard]] std::string answer_kube_request(std::string_view request);

/// Answers kinds `schedule` and `preempt`: one cycle for one pod, and the search for victims if no
/// node is feasible.
/// Errors: RequestError.
[[nodiscard]] Json answer_kube_cycle(const RequestValue& request);

/// Answers kind `sequence`: cycles for several pods, each of which is placed before the next.
/// Errors: RequestError.
[[nodiscard]] Json answer_kube_sequence(const RequestValue& request);

/// Answers a List of Kubernetes' objects: what becomes of its pending pods, one after the other.
/// Errors: RequestError.
[[nodiscard]] Json answer_kube_list(const RequestValue& request);

}  // namespace berth::experiments
