#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// Which of the instants that a trace has of a job is its arrival.
enum class TraceArrival : std::uint8_t {
    eligible,  ///< When nothing but the cluster made it wait, where that is later than its submit.
    submit,
};

/// How a trace is to be read.
struct TraceOptions {
    /// Rows that are wrong are skipped and counted; otherwise the first ends the reading.
    bool lenient = false;
    /// Of the formats csv and jsonl: the file's name of each field of TraceJob, by the field's name
    /// in the documentation (`submit`, `cpu`, `gpus`, ...).
    std::map<std::string, std::string> columns{};
    TraceArrival arrival = TraceArrival::eligible;  ///< Of the format sacct.
};

/// Rows that were left out because they are wrong.
struct SkippedRows {
    std::uint64_t count = 0;
    std::string first;  ///< The message of the first, with its file, line and column.
};

/// Reads a trace job by job, in the order of its file.
///
/// Cost:   memory for one row, whatever the length of the trace.
/// Errors: InputError `FILE:LINE:COLUMN: error: what is wrong: what was expected`, with the line
///         and a caret; unless lenient, from then on nothing is read.
class TraceReader {
public:
    virtual ~TraceReader() = default;
    /// Fills `job`, all of it, with the next job. Returns false after the last.
    [[nodiscard]] virtual bool next(TraceJob& job) = 0;
    /// The line on which the job that next() gave begins, from 1.
    [[nodiscard]] virtual std::uint64_t line() const = 0;
    [[nodiscard]] virtual const SkippedRows& skipped() const = 0;
    /// What users of the trace should know about how it is read, a line each: columns that are not
    /// read although their names resemble those of others; so far as it was read, counts of jobs.
    [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
};

struct TraceFormat {
    std::string_view name;
    std::string_view summary;
    std::string_view marks;  ///< Columns, with commas, that only tables of this format have; or "".
    /// `text` is what the file holds, decompressed; `file` names it in messages.
    std::unique_ptr<TraceReader> (*make)(std::unique_ptr<std::istream> text,
                                         const std::string& file,
                                         const TraceOptions& options);
};

/// All formats, by name: workloads/trace/trace_formats.def, one line a file.
[[nodiscard]] std::span<const TraceFormat> trace_formats();

/// Opens a file for reading; `.gz` and `.zst` are decompressed on the way, `-` is standard input.
/// Errors: InputError when there is no such file.
[[nodiscard]] std::unique_ptr<std::istream> open_text(const std::string& file);

/// Opens a trace that is at hand as `text`, decompressed; `file` names it in messages.
/// Errors: InputError: an unknown format.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                                      std::unique_ptr<std::istream> text,
                                                      const std::string& file,
                                                      const TraceOptions& options);

/// Opens a trace; `.gz` and `.zst` are decompressed while they are read, `-` is standard input.
/// Errors: InputError: no such file, or an unknown format.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                                      const std::string& file,
                                                      const TraceOptions& options);

/// Opens a trace of Kueue's objects that are at hand as documents, such as those of a YAML file;
/// `file` names it in messages.
[[nodiscard]] std::unique_ptr<TraceReader> open_kueue_documents(
    std::shared_ptr<const std::vector<core::Value>> documents,
    const std::string& file,
    const TraceOptions& options);

}  // namespace berth::workloads
