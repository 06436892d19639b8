#pragma once

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers a request of `berth allocate --jsonl` with `node.devices`: which devices of the node the
/// pod gets.
///
/// Shape:   `node`, `pod`, and optionally `options` (mode, scorer), `rules` (documented, published)
///          and `solver` (greedy, exact).
/// Returns: `allocations`, `annotation` and `score`; or `unschedulable`, `code` and `phase`; or
///          `skip` for a pod that requests no devices.
/// Errors:  RequestError.
[[nodiscard]] Json answer_device_request(const RequestValue& request);

}  // namespace berth::experiments
