#pragma once

#include <string>

#include "core/support/source.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "workloads/trace/guess_format.hpp"

namespace berth::experiments {

/// The first 64 KiB of a file, decompressed. Errors: InputError for a file that cannot be read.
[[nodiscard]] std::string beginning_of(const std::string& file);

/// What a file looks like by its first 64 KiB, decompressed. Nothing of a folder, nor of a pipe,
/// which can be read only once.
/// Errors: InputError for a file that cannot be read.
[[nodiscard]] workloads::FileGuess guess_file(const std::string& file);

/// What is wrong with a trace, and, where it looks like another format than was stated, that it
/// does.
[[nodiscard]] core::InputError with_likely_format(const core::InputError& error,
                                                  const TraceOrigin& origin);

}  // namespace berth::experiments
