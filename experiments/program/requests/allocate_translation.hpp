#pragma once

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers one request to translate requests for groups, without a node to place them on.
///
/// Shape:  docs/reference/allocate.md, "Translation": `translation` with `kind` gpu, stage, addNode
///         or bestTree.
/// Errors: RequestError.
[[nodiscard]] Json answer_translation_request(const Json& request);

}  // namespace berth::experiments
