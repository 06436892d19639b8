#pragma once

#include <string>
#include <string_view>

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers one request for a decision of Kueue: a JSON object on one line, as `berth kueue --jsonl`
/// reads it.
///
/// Shape:   docs/reference/kueue.md; by `kind`: cycle, topology-assignment.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
[[nodiscard]] std::string answer_kueue_request(std::string_view request);

/// Answers kind `cycle`: one scheduling cycle over queues, cohorts, flavors and workloads.
/// Errors: RequestError.
[[nodiscard]] Json answer_kueue_cycle(const RequestValue& request);

/// Answers kind `topology-assignment`: the pod sets of one workload on the nodes of one flavor's
/// topology.
/// Errors: RequestError; InputError if amounts overflow.
[[nodiscard]] Json answer_kueue_topology(const RequestValue& request);

}  // namespace berth::experiments
