#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "experiments/program/config/workload/trace_origin.hpp"

namespace berth::experiments {

/// Adds what `berth workload FILE --check` takes.
void add_check_options(boost::program_options::options_description& options);

/// Looks through a trace, or else every trace of a document, and writes what the trace doctor says.
/// Returns: the exit status: exit_failed when a trace is not usable as it is.
[[nodiscard]] int check_workload(const std::string& file,
                                 const std::optional<TraceOrigin>& trace,
                                 const boost::program_options::variables_map& values);

}  // namespace berth::experiments
