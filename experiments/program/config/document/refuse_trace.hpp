#pragma once

#include <string>
#include <vector>

#include "core/support/source.hpp"

namespace berth::experiments {

/// Says of a text that stands where a document of one of `kinds` is expected, and is none, what it
/// is instead: a trace of jobs, or a file that berth does not read. Returns if it does not know.
/// Without kinds a document of any kind is expected, or a trace.
/// Errors: InputError.
void refuse_trace(const core::SourceText& source, const std::vector<std::string>& kinds);

}  // namespace berth::experiments
