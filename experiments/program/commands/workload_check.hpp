#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

#include "experiments/program/config/workload/trace_origin.hpp"
#include "workloads/trace/trace_doctor.hpp"

namespace berth::experiments {

/// What the trace doctor says, for people: the verdict, each finding, then the figures.
[[nodiscard]] std::string trace_check_text(const std::string& trace,
                                           const workloads::TraceReport& report);

/// The same for programs (docs/reference/doctor.md).
[[nodiscard]] nlohmann::ordered_json trace_check_json(const std::string& trace,
                                                      const workloads::TraceReport& report);

/// Adds what `berth workload FILE --check` takes.
void add_check_options(boost::program_options::options_description& options);

/// Looks through a trace, or else every trace of a document, and writes what the trace doctor says.
/// Returns: the exit status: exit_failed when a trace is not usable as it is.
[[nodiscard]] int check_workload(const std::string& file,
                                 const std::optional<TraceOrigin>& trace,
                                 const boost::program_options::variables_map& values);

}  // namespace berth::experiments
