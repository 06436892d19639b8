#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "workloads/trace/trace_doctor.hpp"

namespace berth::experiments {

/// What the trace doctor says, for people: the verdict, each finding, then the figures.
[[nodiscard]] std::string trace_check_text(const std::string& trace,
                                           const workloads::TraceReport& report);

/// The same for programs (docs/reference/doctor.md).
[[nodiscard]] nlohmann::ordered_json trace_check_json(const std::string& trace,
                                                      const workloads::TraceReport& report);

}  // namespace berth::experiments
