#include "workloads/trace/csv_row_reader.hpp"

#include <fmt/format.h>

namespace berth::workloads {

RowReader::Row CsvRowReader::read(TraceJob& job) {
    if (!rows_.next()) {
        return Row::end;
    }
    begin_row(rows_.line());
    return read_row(job);
}

std::string_view CsvRowReader::need_text(std::size_t column, std::string_view what) const {
    const std::string_view cell = rows_.text(column);
    if (cell.empty()) {
        rows_.fail(column, "empty", what);
    }
    return cell;
}

std::optional<sim::SimTime> CsvRowReader::date(std::size_t column,
                                               bool (*missing)(std::string_view),
                                               std::string_view expected) const {
    const std::string_view cell = rows_.text(column);
    if (missing(cell)) {
        return std::nullopt;
    }
    const auto time = parse_date_time(cell);
    if (!time) {
        rows_.fail(column, "no date", expected);
    }
    return time;
}

void CsvRowReader::read_status(std::size_t column,
                               std::optional<TraceStatus> (*status_of)(std::string_view),
                               std::string_view fault,
                               std::string_view expected,
                               TraceJob& job) const {
    if (const std::string_view cell = rows_.text(column); !cell.empty()) {
        const auto status = status_of(cell);
        if (!status) {
            rows_.fail(column, fault, expected);
        }
        job.status = *status;
    }
}

void CsvRowReader::check_order(const TraceJob& job, std::size_t finish) const {
    if (job.start && job.finish && *job.finish < *job.start) {
        rows_.fail(
            finish,
            fmt::format("ends before it starts: expected no earlier {}", rows_.name(finish)));
    }
}

}  // namespace berth::workloads
