/// csv: any table with a header; the user says which column is which field.

#include <fmt/format.h>

#include "core/support/value.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/field_names.hpp"
#include "workloads/trace/job_fields.hpp"
#include "workloads/trace/row_reader.hpp"

namespace berth::workloads {
namespace {

/// The columns to read. Those that the user named are required.
std::vector<core::CsvColumn> columns_of(const FieldColumns& columns, const TraceOptions& options) {
    std::vector<core::CsvColumn> out;
    for (const auto& [field, name] : columns.names) {
        out.push_back({name, options.columns.contains(std::string(JobFields::names()[field]))});
    }
    return out;
}

class CsvReader final : public RowReader {
public:
    CsvReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          file_(text.file()),
          rows_(std::move(text), {}, [&](const std::vector<std::string>& header) {
              columns_ = find_field_columns(options.columns, header, file_);
              return columns_of(columns_, options);
          }) {
        note(rows_.separator_notes());
        note(columns_.notes);
        values_.count_limits_in_minutes(columns_.limit_in_minutes);
        std::size_t column = 0;
        for (const auto& [field, name] : columns_.names) {
            if (rows_.has(column)) {
                fields_.push_back({field, column});
            }
            ++column;
        }
        if (fields_.empty()) {
            const auto known = JobFields::names();
            rows_.fail(0,
                       fmt::format("no job column: expected {}, or columns: {{FIELD: COLUMN}}",
                                   core::alternatives({known.begin(), known.end()})));
        }
    }

private:
    Row read(TraceJob& job) override {
        if (!rows_.next()) {
            return Row::end;
        }
        begin_row(rows_.line());
        std::optional<std::size_t> wrong;
        std::optional<FieldFault> fault;
        for (const auto& [field, column] : fields_) {
            if (fault = values_.set(field, rows_.text(column), job); fault) {
                wrong = column;
                break;
            }
        }
        const auto unfinished = values_.finish(job, line());  // also prepares for the next row
        if (wrong) {
            rows_.fail(*wrong, fault->what, fault->expected);
        }
        if (unfinished) {
            rows_.fail_row(fmt::format("{}: expected {}", unfinished->what, unfinished->expected));
        }
        return Row::job;
    }

    std::string file_;
    FieldColumns columns_;
    CsvRows rows_;
    /// A field that has a column, and the index of that column among those asked for.
    struct FieldColumn {
        std::size_t field;
        std::size_t column;
    };
    std::vector<FieldColumn> fields_;
    JobFields values_;
};

}  // namespace

std::unique_ptr<TraceReader> make_csv_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<CsvReader>(std::move(text), options);
}

}  // namespace berth::workloads
