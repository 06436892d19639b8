#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kai/decide/session.hpp"

namespace berth::experiments {

/// The statuses of pods, in the order of the enumerators.
inline constexpr std::array<std::string_view, 11> kai_statuses{"Pending",
                                                               "Gated",
                                                               "Allocated",
                                                               "Pipelined",
                                                               "Binding",
                                                               "Bound",
                                                               "Running",
                                                               "Releasing",
                                                               "Succeeded",
                                                               "Failed",
                                                               "StuckInReleasing"};

/// Reads jobs and their pods into `session`, whose queues and nodes are there.
/// Errors: RequestError.
void read_kai_jobs(const RequestField& list, core::kai::SessionSpec& session);

/// The places of a list in the order of its names, which must differ.
/// Errors: RequestError.
[[nodiscard]] std::vector<RequestField> by_name(const RequestField& list);

}  // namespace berth::experiments
