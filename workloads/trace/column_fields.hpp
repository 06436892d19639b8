#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// Those columns of a table by which no run goes. Columns that the table lacks cost nothing.
class ColumnFields {
public:
    /// `fields`: whose paths are names of columns.
    ColumnFields(std::span<const UnmodelledField> fields, const CsvRows& rows);

    /// Adds those whose cell counts in the current row, which has as many fields as the header.
    void find(const CsvRows& rows, FoundFields& found);

private:
    struct Column {
        std::size_t place = 0;  ///< In the header.
        const UnmodelledField* field = nullptr;
        std::string last{};  ///< The cell that was looked at last: rows say much the same.
        bool last_counts = false;
    };
    std::vector<Column> columns_;
};

}  // namespace berth::workloads
