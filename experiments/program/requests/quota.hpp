#pragma once

#include <string>
#include <string_view>

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers one request about elastic quotas: a JSON object on one line, as `berth quota --jsonl`
/// reads it.
///
/// Shape:   docs/reference/quota.md; by `kind`: runtime, redistribute, admission, validation.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for a request that
///          is none.
[[nodiscard]] std::string answer_quota_request(std::string_view request);

/// Kind `admission`: pods come, ask for admission, go, are revoked and preempted, one operation
/// after the other.
/// Errors: RequestError.
[[nodiscard]] Json answer_quota_admission(const Json& request);

/// Kind `validation`: quotas and pods are created, changed and deleted, each operation allowed or
/// not by the rules for objects.
/// Errors: std::runtime_error with one line.
[[nodiscard]] Json answer_quota_validation(const Json& request);

}  // namespace berth::experiments
