#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "workloads/trace/guess_format.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {

/// Where a trace is, and how its file is read.
struct TraceOrigin {
    std::string format;
    std::string file;
    workloads::TraceOptions options;
    /// The content of the file if it is a pipe, which can be read only once.
    std::shared_ptr<const std::string> text{};
    /// The content of the file if it is YAML, which is not read piece by piece.
    std::shared_ptr<const std::vector<core::Value>> documents{};
};

/// Reads `format`, `file`, `lenient`, `arrival`, `columns` and `speeds`.
[[nodiscard]] TraceOrigin read_trace_origin(core::MapReader& map);

/// Whether a file is JSON or empty: YAML that programs write begins with a key.
/// Errors: InputError for a file that cannot be read.
[[nodiscard]] bool begins_as_json(const TraceOrigin& origin);

/// The same origin, with its documents if it is YAML, so that it is not parsed each time it is
/// opened. Errors: InputError for invalid YAML, and for a file that cannot be read.
[[nodiscard]] TraceOrigin with_documents(TraceOrigin origin);

/// Errors: InputError.
[[nodiscard]] std::unique_ptr<workloads::TraceReader> open(const TraceOrigin& origin);

/// The first 64 KiB of a file, decompressed. Errors: InputError for a file that cannot be read.
[[nodiscard]] std::string beginning_of(const std::string& file);

/// What a file looks like by its first 64 KiB, decompressed. Nothing for a folder, or for a pipe,
/// which can be read only once.
/// Errors: InputError for a file that cannot be read.
[[nodiscard]] workloads::FileGuess guess_file(const std::string& file);

/// The error of a trace, with a hint if the file looks like another format than the stated one. The
/// row is shown only if the file is a trace.
[[nodiscard]] core::InputError with_likely_format(const core::InputError& error,
                                                  const TraceOrigin& origin);

/// Calls `read` on a trace and returns its result. Errors: those of with_likely_format() above.
template <typename Read>
auto with_likely_format(const TraceOrigin& origin, Read read) {
    try {
        return read();
    } catch (const core::InputError& error) {
        throw with_likely_format(error, origin);
    }
}

}  // namespace berth::experiments
