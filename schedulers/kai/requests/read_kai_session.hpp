#pragma once

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kai/decide/session.hpp"

namespace berth::experiments {

/// What a request of kind `cycle` says of a cluster and its jobs.
/// Errors: RequestError.
[[nodiscard]] core::kai::SessionSpec read_kai_session(const RequestField& request);

}  // namespace berth::experiments
