#pragma once

#include "experiments/requests/fields.hpp"

namespace berth::experiments {

/// Answers a request to fit a pod's group resources on a node.
///
/// Shape:  docs/formats/allocate.md; `node`, `pod`, and optionally `translate`, `rules`, `solver`.
/// Errors: RequestError.
[[nodiscard]] Json answer_group_request(const Json& request);

}  // namespace berth::experiments
