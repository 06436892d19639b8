#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/config/workload/trace_origin.hpp"

namespace berth::experiments {

/// Adds the options that say how a FILE is to be read that is a trace and no document.
void add_trace_options(boost::program_options::options_description& options);

/// The trace that a FILE is, by these options or by how it begins; nothing: it may be a document.
/// Says on standard error what was guessed. Where a document of pods may be meant as such
/// (`pods_are_documents`), a guess does not make a trace of it.
/// Errors: InputError for wrong options, and for a file that is surely neither trace nor document.
[[nodiscard]] std::optional<TraceOrigin> trace_argument(
    std::string_view command,
    const std::string& file,
    const boost::program_options::variables_map& values,
    bool pods_are_documents = false);

/// Refuses the options that are about a trace alone, and `more`, beside a document.
/// Errors: InputError.
void refuse_trace_options(std::string_view command,
                          const boost::program_options::variables_map& values,
                          const std::vector<std::string>& more = {});

}  // namespace berth::experiments
