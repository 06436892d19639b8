#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// The columns of a table that a run does not model. Columns that the table lacks cost nothing.
class ColumnFields {
public:
    /// The paths of `fields` are names of columns.
    ColumnFields(std::span<const UnmodelledField> fields, const CsvRows& rows);

    /// Adds the fields whose cells say something in the current row. The row must have as many
    /// fields as the header.
    void find(const CsvRows& rows, FoundFields& found);

private:
    struct Column {
        std::size_t place = 0;  ///< Index of the column in the header.
        const UnmodelledField* field = nullptr;
        std::string last{};  ///< The cell that was looked at last: most rows have the same cell
                             ///< here.
        bool last_counts = false;
    };
    std::vector<Column> columns_;
};

}  // namespace berth::workloads
