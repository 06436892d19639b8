#pragma once

#include <string>
#include <string_view>

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers one request for a decision of the KAI scheduler: a JSON object on one line, as `berth
/// kai --jsonl` reads it.
///
/// Shape:   docs/reference/kai.md; by `kind`: shares, rules, cycle.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
[[nodiscard]] std::string answer_kai_request(std::string_view request);

/// Answers kind `cycle`: actions of one scheduling cycle over queues, nodes and jobs.
/// Errors: RequestError.
[[nodiscard]] Json answer_kai_cycle(const RequestValue& request);

}  // namespace berth::experiments
