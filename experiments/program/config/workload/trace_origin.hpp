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
};

/// Reads `format`, `file`, `lenient` and `columns`.
[[nodiscard]] TraceOrigin read_trace_origin(core::MapReader& map);

/// Errors: InputError.
[[nodiscard]] std::unique_ptr<workloads::TraceReader> open(const TraceOrigin& origin);

}  // namespace berth::experiments
