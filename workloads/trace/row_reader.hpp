#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "workloads/trace/trace_reader.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// What all readers share: the treatment of wrong rows, and the checks of a finished job.
class RowReader : public TraceReader {
public:
    [[nodiscard]] bool next(TraceJob& job) final;
    [[nodiscard]] std::uint64_t line() const final { return line_; }
    [[nodiscard]] const SkippedRows& skipped() const final { return skipped_; }
    [[nodiscard]] std::vector<std::string> notes() const override;

protected:
    enum class Row : std::uint8_t { job, no_job, end };

    /// `beyond_ascii`: that of the text, which need not be UTF-8; nullptr for texts of documents.
    RowReader(const TraceOptions& options, std::shared_ptr<const bool> beyond_ascii)
        : lenient_(options.lenient), beyond_ascii_(std::move(beyond_ascii)) {}
    /// Reads the next row into `job`, which is empty, and notes its line.
    /// Errors: RowError, after which reading can go on; CutShort.
    [[nodiscard]] virtual Row read(TraceJob& job) = 0;
    void note(const std::vector<std::string>& notes) {
        notes_.insert(notes_.end(), notes.begin(), notes.end());
    }
    void begin_row(std::uint64_t line) { line_ = line; }
    /// The unmodelled fields of the current row; they count if the row is a job.
    [[nodiscard]] FoundFields& found() { return found_; }

private:
    /// Skips a wrong row. Returns false if no row may be skipped.
    bool skip(const core::InputError& error);

    bool lenient_;
    std::shared_ptr<const bool> beyond_ascii_;
    bool ended_ = false;
    std::uint64_t line_ = 0;
    SkippedRows skipped_;
    std::vector<std::string> notes_;
    FoundFields found_;
    FieldCounts fields_;
};

}  // namespace berth::workloads
