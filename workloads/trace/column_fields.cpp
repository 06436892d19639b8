#include "workloads/trace/column_fields.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/support/csv_record.hpp"

namespace berth::workloads {

ColumnFields::ColumnFields(std::span<const UnmodelledField> fields, const CsvRows& rows) {
    const std::vector<std::string>& header = rows.header();
    for (const UnmodelledField& field : fields) {
        const auto found = std::ranges::find(header, field.path);
        if (found != header.end()) {
            columns_.push_back({static_cast<std::size_t>(found - header.begin()), &field});
        }
    }
}

void ColumnFields::find(const CsvRows& rows, FoundFields& found) {
    for (Column& column : columns_) {
        const std::string_view cell = rows.whole_field(column.place);
        if (cell != column.last) {
            column.last = cell;
            column.last_counts = column.field->counts(core::trimmed(cell));
        }
        if (column.last_counts) {
            found.push_back(column.field);
        }
    }
}

}  // namespace berth::workloads
