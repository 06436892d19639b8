#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/config/workload/trace_origin.hpp"

namespace berth::experiments {

/// Adds the options that say how to read a FILE that is a trace and not a document.
void add_trace_options(boost::program_options::options_description& options);

/// The trace in a FILE, by these options or by how it begins; nothing if it may be a document.
/// Prints on standard error what was guessed. If pods may be meant as a document
/// (`pods_are_documents`), a guess does not turn them into a trace.
/// Errors: InputError for wrong options, and for a file that is certainly neither a trace nor a
///         document.
[[nodiscard]] std::optional<TraceOrigin> trace_argument(
    std::string_view command,
    const std::string& file,
    const boost::program_options::variables_map& values,
    bool pods_are_documents = false);

/// Refuses, for a document, the options that are only for traces, and those in `more`.
/// Errors: InputError.
void refuse_trace_options(std::string_view command,
                          const boost::program_options::variables_map& values,
                          const std::vector<std::string>& more = {});

}  // namespace berth::experiments
