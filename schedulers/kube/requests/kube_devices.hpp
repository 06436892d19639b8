#pragma once

#include <string>

#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Answers kind `dra` with JSON on one line: the devices of one node for the claims of a pod.
/// Errors: RequestError.
[[nodiscard]] std::string answer_kube_devices(const RequestValue& request);

}  // namespace berth::experiments
