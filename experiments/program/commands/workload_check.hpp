#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

#include "experiments/program/config/workload/trace_origin.hpp"
#include "workloads/trace/trace_doctor.hpp"

namespace berth::experiments {

/// The trace doctor's report for people: the verdict, each finding, then the figures.
[[nodiscard]] std::string trace_check_text(const std::string& trace,
                                           const workloads::TraceReport& report);

/// The same report for programs (docs/reference/doctor.md).
[[nodiscard]] nlohmann::ordered_json trace_check_json(const std::string& trace,
                                                      const workloads::TraceReport& report);

/// Adds the options of `berth workload FILE --check`.
void add_check_options(boost::program_options::options_description& options);

/// Examines a trace, or every trace of a document, and writes the trace doctor's report.
/// Returns: the exit status: exit_failed if a trace is not usable as it is.
[[nodiscard]] int check_workload(const std::string& file,
                                 const std::optional<TraceOrigin>& trace,
                                 const boost::program_options::variables_map& values);

}  // namespace berth::experiments
