/// sacct: Slurm's accounting as `sacct --parsable2` or `--parsable` prints it. The output of
/// `--json` has a reader of its own.
///
/// sacct quotes nothing. What users type (names, comments, command lines) may contain `|` and line
/// ends, so a row may have more fields than its header, or go on in the next line. Such a row is
/// put together if the columns that are read make sense in only one way.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "workloads/trace/column_fields.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/loose_texts.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/sacct_job.hpp"
#include "workloads/unmodelled/slurm_fields.hpp"

namespace berth::workloads {
namespace sacct {

std::vector<core::CsvColumn> columns() {
    std::vector<core::CsvColumn> out;
    for (const std::string_view name : column_names) {
        out.push_back({name, out.size() <= submit});
    }
    return out;
}

/// Columns that contain free text from users.
constexpr std::array<std::string_view, 12> columns_of_texts{"AdminComment",
                                                            "Comment",
                                                            "Constraints",
                                                            "Container",
                                                            "Extra",
                                                            "JobName",
                                                            "StdErr",
                                                            "StdIn",
                                                            "StdOut",
                                                            "SubmitLine",
                                                            "SystemComment",
                                                            "WorkDir"};

/// More lines than any text that a person types.
constexpr std::size_t lines_max = 200;

/// Accepts `12`, `12_3`, `12_[4-6]` and `12+1`, and `12.batch` for a step.
bool is_job_id(std::string_view text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    return digits > 0 && text.find_first_of(" \t\n\"'/=") == std::string_view::npos &&
           (digits == text.size() ||
            std::string_view("_+.[").find(text[digits]) != std::string_view::npos);
}

class TableCells final : public Cells {
public:
    explicit TableCells(const CsvRows& rows) : rows_(rows) {}
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        return rows_.text(column);
    }
    [[noreturn]] void fail(std::size_t column,
                           std::string_view what,
                           std::string_view expected) const override {
        rows_.fail(column, what, expected);
    }

private:
    const CsvRows& rows_;
};

class SacctReader final : public RowReader {
public:
    SacctReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          rows_(std::move(text),
                {'|', false},
                [&](const std::vector<std::string>& header) {
                    find_texts(header);
                    return columns_of(header);
                }),
          fields_(sacct_fields(), rows_),
          cells_(rows_),
          jobs_(options.arrival) {
        note(rows_.separator_notes());
        note(rows_.near_misses());
    }

    [[nodiscard]] std::vector<std::string> notes() const override {
        std::vector<std::string> all = RowReader::notes();
        std::ranges::move(jobs_.remarks(), std::back_inserter(all));
        return all;
    }

private:
    /// The columns to read. Some dumps number their jobs only by JobIDRaw, which differs for jobs
    /// of arrays.
    static std::vector<core::CsvColumn> columns_of(const std::vector<std::string>& header) {
        std::vector<core::CsvColumn> wanted = columns();
        if (std::ranges::find(header, "JobID") == header.end() &&
            std::ranges::find(header, "JobIDRaw") != header.end()) {
            wanted[job_id].name = "JobIDRaw";
        }
        return wanted;
    }

    void find_texts(const std::vector<std::string>& header) {
        for (std::size_t at = 0; at < header.size(); ++at) {
            if (std::ranges::find(columns_of_texts, header[at]) != columns_of_texts.end()) {
                texts_.push_back(at);
                text_names_.push_back(header[at]);
            }
        }
    }

    Row read(TraceJob& job) override {
        if (jobs_.next_task(job)) {
            return Row::job;
        }
        if (!next_row()) {
            return Row::end;
        }
        begin_row(rows_.line());
        if (texts_.empty() && rows_.field_count() != rows_.header_field_count()) {
            rows_.fail_field_count();
        }
        Row row{};
        if (texts_.empty()) {
            row = read_whole_row(job);
        } else {
            row = read_loose(job);
        }
        if (row == Row::job) {
            jobs_.keep(job);
        }
        return row;
    }

    /// Goes to the next row, skipping the rest of a text that goes on behind the last field of its
    /// row.
    bool next_row() {
        while (rows_.next_loose()) {
            const bool is_short = rows_.field_count() < rows_.header_field_count();
            if (!rest_may_follow_ || !is_short || !has_id_first() || begins_with_id()) {
                return true;
            }
        }
        return false;
    }

    /// Whether no text comes before the number of the job, so that the number tells whether a line
    /// begins a row.
    [[nodiscard]] bool has_id_first() const { return rows_.place(job_id) < texts_.front(); }

    [[nodiscard]] bool begins_with_id() const {
        return rows_.field_count() > rows_.place(job_id) && is_job_id(rows_.whole_text(job_id));
    }

    /// Whether the line behind the row belongs to it, because it does not begin a row of its own.
    [[nodiscard]] bool next_line_belongs() {
        const std::size_t id = rows_.place(job_id);
        const bool has_id = rows_.field_count() > id;
        const auto fields = rows_.peek();
        if (fields.empty()) {
            return false;
        }
        if (has_id_first()) {
            return fields.size() <= id || !is_job_id(fields[id].text);
        }
        return fields.size() < rows_.header_field_count() || !has_id;
    }

    /// Reads a row whose texts may contain separators and line ends.
    Row read_loose(TraceJob& job) {
        const std::size_t expected = rows_.header_field_count();
        const bool ends_with_text = texts_.back() + 1 >= expected;
        std::optional<RowError> first_fault;
        for (std::size_t joined = 0;; ++joined) {
            try {
                const bool whole = rows_.field_count() == expected && joined == 0;
                const Row row = whole ? read_whole_row(job) : read_moved(job);
                rest_may_follow_ = ends_with_text;
                if (!whole) {
                    note_loose();
                }
                return row;
            } catch (const RowError& fault) {
                if (!first_fault) {
                    first_fault = fault;
                }
            }
            if (joined == lines_max || !next_line_belongs()) {
                rest_may_follow_ = true;
                throw RowError(*first_fault);
            }
            rows_.join_peeked();
        }
    }

    /// Reads a row with more fields than its header has. The texts take the surplus fields; the row
    /// counts if all sensible ways to share these fields among the texts give the same job.
    Row read_moved(TraceJob& job) {
        const std::size_t expected = rows_.header_field_count();
        if (rows_.field_count() < expected) {
            rows_.fail_field_count();
        }
        std::vector<std::size_t> read_places;
        for (std::size_t column = job_id; column < column_count; ++column) {
            read_places.push_back(rows_.place(column));
        }
        const LooseTexts texts(texts_, std::move(read_places));
        std::optional<std::pair<Row, TraceJob>> found;
        for (std::vector<std::size_t>& places : texts.ways(rows_.field_count() - expected)) {
            auto read = read_by(std::move(places));
            if (!read) {
                continue;
            }
            if (found && *found != *read) {
                found.reset();
                break;
            }
            found = std::move(read);
        }
        if (!found) {
            rows_.fail_field_count(": print the table without " + core::join(text_names_, ", "));
        }
        job = std::move(found->second);
        return found->first;
    }

    /// Reads the row with the cells of its columns at these places; nothing if that makes no sense.
    std::optional<std::pair<Row, TraceJob>> read_by(std::vector<std::size_t> places) {
        rows_.set_places(std::move(places));
        const std::string_view submitted = rows_.text(submit);
        if (!is_job_id(rows_.text(job_id)) ||
            !(is_no_time(submitted) || parse_slurm_date(submitted))) {
            return std::nullopt;
        }
        std::pair<Row, TraceJob> read;
        try {
            read.first = read_row(read.second);
        } catch (const RowError&) {
            return std::nullopt;
        }
        return read;
    }

    void note_loose() {
        if (!told_of_loose_) {
            told_of_loose_ = true;
            note(
                {fmt::format("line {} has '|' or a line end in a text: of such rows, those are "
                             "read that make sense in one way only",
                             rows_.line())});
        }
    }

    Row read_row(TraceJob& job) { return jobs_.read(cells_, job) ? Row::job : Row::no_job; }

    /// Reads a row whose fields are where the header says, including its unmodelled fields.
    Row read_whole_row(TraceJob& job) {
        const Row row = read_row(job);
        if (row == Row::job) {
            fields_.find(rows_, jobs_.found());
        }
        return row;
    }

    std::vector<std::size_t> texts_;  ///< Places of the text columns in the header.
    std::vector<std::string> text_names_;
    CsvRows rows_;
    ColumnFields fields_;
    TableCells cells_;
    Jobs jobs_;
    bool rest_may_follow_ = false;  ///< Whether the next lines may belong to a text of the row
                                    ///< before.
    bool told_of_loose_ = false;
};

}  // namespace sacct

std::unique_ptr<TraceReader> make_sacct_reader(TextBlocks text, const TraceOptions& options) {
    if (text.begins_with('{')) {
        return sacct::make_json_reader(std::move(text), options);
    }
    return std::make_unique<sacct::SacctReader>(std::move(text), options);
}

}  // namespace berth::workloads
