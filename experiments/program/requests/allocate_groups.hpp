#pragma once

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers a request to fit a pod's group resources on a node.
///
/// Shape:  docs/reference/allocate.md; `node`, `pod`; optionally `translate`, `rules`, `solver`.
/// Errors: RequestError.
[[nodiscard]] Json answer_group_request(const Json& request);

}  // namespace berth::experiments
