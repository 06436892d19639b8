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
#include "workloads/trace/speed_table.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// Which of the instants that a trace has for a job counts as its arrival.
enum class TraceArrival : std::uint8_t {
    eligible,  ///< The instant from which only the cluster made it wait, if that is later than its
               ///< submit time.
    submit,
};

/// How a trace is to be read.
struct TraceOptions {
    /// Whether wrong rows are skipped and counted; otherwise the first one ends the reading.
    bool lenient = false;
    /// For the formats csv and jsonl: the name in the file of each field of TraceJob, by the name
    /// of the field in the documentation (`submit`, `cpu`, `gpus`, ...).
    std::map<std::string, std::string> columns{};
    /// For the format kubernetes: whether conditions of jobs also have what the metadata of their
    /// pods say, which makes most of them different.
    bool pod_metadata = false;
    TraceArrival arrival = TraceArrival::eligible;  ///< Only for the format sacct.
    /// For the format training: how fast models train; nullptr: each job has to say how fast it is.
    std::shared_ptr<const SpeedTable> speeds{};
};

/// Rows that were left out because they are wrong.
struct SkippedRows {
    std::uint64_t count = 0;
    std::string first;  ///< The message for the first row, with its file, line and column.
};

/// Reads a trace job by job, in the order of its file.
///
/// Cost:   memory for one row, however long the trace is.
/// Errors: InputError `FILE:LINE:COLUMN: error: what is wrong: what was expected`, with the line
///         and a caret. Nothing is read after an error unless the reader is lenient.
class TraceReader {
public:
    virtual ~TraceReader() = default;
    /// Fills all fields of `job` with the next job. Returns false after the last.
    [[nodiscard]] virtual bool next(TraceJob& job) = 0;
    /// The line on which the job from next() begins, from 1.
    [[nodiscard]] virtual std::uint64_t line() const = 0;
    [[nodiscard]] virtual const SkippedRows& skipped() const = 0;
    /// What users of the trace should know about how it is read, one line each: columns that are
    /// not read although their names resemble known ones, and counts of the jobs read so far.
    [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
};

struct TraceFormat {
    std::string_view name;
    std::string_view summary;
    std::string_view marks;  ///< Columns, separated by commas, that only tables of this format
                             ///< have; or "".
    /// `text` is the decompressed content of the file; `file` names it in messages.
    std::unique_ptr<TraceReader> (*make)(std::unique_ptr<std::istream> text,
                                         const std::string& file,
                                         const TraceOptions& options);
    bool objects = false;  ///< Whether its jobs are objects of Kubernetes, which name nodes.
    /// Opens objects that are available as documents, such as those of a YAML file; nullptr: the
    /// format has no documents.
    std::unique_ptr<TraceReader> (*make_of_documents)(
        std::shared_ptr<const std::vector<core::Value>> documents,
        const std::string& file,
        const TraceOptions& options) = nullptr;
    /// Why a text with objects is of this format, such as `it has Workloads`; empty: it is not.
    /// `quote` stands around its keys. nullptr: only `marks` tell.
    std::string_view (*recognises)(std::string_view text, std::string_view quote) = nullptr;
};

/// All formats by name: those of workloads/trace/trace_formats.def, which has a line for each file,
/// and those of the schedulers.
[[nodiscard]] std::span<const TraceFormat> trace_formats();
/// The format of this name; nullptr if there is none.
[[nodiscard]] const TraceFormat* find_trace_format(std::string_view name);

/// Opens a file for reading; `.gz` and `.zst` are decompressed on the way, `-` is standard input.
/// Errors: InputError when there is no such file.
[[nodiscard]] std::unique_ptr<std::istream> open_text(const std::string& file);

/// Opens a trace whose decompressed content is `text`; `file` names it in messages.
/// Errors: InputError for an unknown format.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                                      std::unique_ptr<std::istream> text,
                                                      const std::string& file,
                                                      const TraceOptions& options);

/// Opens a trace; `.gz` and `.zst` are decompressed while they are read, `-` is standard input.
/// Errors: InputError if there is no such file, or for an unknown format.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                                      const std::string& file,
                                                      const TraceOptions& options);

}  // namespace berth::workloads
