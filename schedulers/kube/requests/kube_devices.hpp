#pragma once

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers kind `dra`: the devices of one node for the claims of a pod.
/// Errors: RequestError.
[[nodiscard]] Json answer_kube_devices(const RequestValue& request);

}  // namespace berth::experiments
