#pragma once

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::tests {

/// What reading a whole trace gave.
struct ReadTrace {
    std::vector<workloads::TraceJob> jobs;
    std::vector<std::uint64_t> lines;
    std::vector<std::string> notes;
    workloads::SkippedRows skipped;
    std::string error;  ///< The error of a reading that was not lenient, or of a broken header.
};

/// A reader of a text as if it were the file `t`.
inline std::unique_ptr<workloads::TraceReader> reader_of(
    const std::string& format,
    const std::string& text,
    const workloads::TraceOptions& options = {}) {
    for (const workloads::TraceFormat& entry : workloads::trace_formats()) {
        if (entry.name == format) {
            return entry.make(std::make_unique<std::istringstream>(text), "t", options);
        }
    }
    throw std::logic_error("no such format");
}

inline ReadTrace read_all(workloads::TraceReader& reader) {
    ReadTrace out;
    workloads::TraceJob job;
    while (reader.next(job)) {
        out.jobs.push_back(job);
        out.lines.push_back(reader.line());
    }
    out.skipped = reader.skipped();
    out.notes = reader.notes();
    return out;
}

inline ReadTrace read_trace(const std::string& format,
                            const std::string& text,
                            const workloads::TraceOptions& options = {}) {
    try {
        return read_all(*reader_of(format, text, options));
    } catch (const core::InputError& error) {
        ReadTrace out;
        out.error = error.what();
        return out;
    }
}

inline ReadTrace read_lenient(const std::string& format,
                              const std::string& text,
                              workloads::TraceOptions options = {}) {
    options.lenient = true;
    return read_trace(format, text, options);
}

}  // namespace berth::tests
