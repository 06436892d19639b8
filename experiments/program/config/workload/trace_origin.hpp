#pragma once

#include <memory>
#include <string>

#include "core/support/value.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {

/// Where a trace is, and how its file is to be read.
struct TraceOrigin {
    std::string format;
    std::string file;
    workloads::TraceOptions options;
    /// All that the file holds, where it is a pipe, which can be read only once.
    std::shared_ptr<const std::string> text{};
};

/// Reads `format`, `file`, `lenient` and `columns`.
[[nodiscard]] TraceOrigin read_trace_origin(core::MapReader& map);

/// Errors: InputError.
[[nodiscard]] std::unique_ptr<workloads::TraceReader> open(const TraceOrigin& origin);

}  // namespace berth::experiments
