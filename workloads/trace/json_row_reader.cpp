#include "workloads/trace/json_row_reader.hpp"

#include <fmt/format.h>

namespace berth::workloads {

RowReader::Row JsonRowReader::read(TraceJob& job) {
    const bool first = std::exchange(first_, false);
    if (!elements_.next()) {
        if (first && elements_.line() == 1 && elements_.column() == 1) {
            throw core::InputError(
                fmt::format("{}:1:1: error: empty: expected {}", elements_.file(), expected_));
        }
        return Row::end;
    }
    begin_row(elements_.line());
    if (elements_.too_long()) {
        JsonRow::fail_long(
            elements_.file(), line(), elements_.column(), elements_.element_bytes_max());
    }
    row_.parse(elements_.text(), elements_.line(), elements_.column());
    return read_row(job);
}

}  // namespace berth::workloads
