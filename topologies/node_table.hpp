#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/csv_record.hpp"
#include "core/support/source.hpp"

namespace berth::topologies {

/// The rows of a node list with a header: cells by the columns that a reader asked for. What is
/// wrong is recorded, with its line and column.
class NodeTable {
public:
    NodeTable(std::shared_ptr<const core::SourceText> source,
              std::vector<core::CsvColumn> columns,
              core::Diagnostics& diagnostics);

    /// Goes to the next row; empty lines are none. Rows that do not have as many fields as the
    /// header are recorded and passed over. Returns false after the last, and when the header is
    /// wrong.
    [[nodiscard]] bool next();
    /// The cell, without blanks around it; empty where the table has no such column.
    [[nodiscard]] std::string_view text(std::size_t column) const;
    /// A whole number in [0, max]; anything else is recorded.
    [[nodiscard]] std::optional<std::int64_t> number(std::size_t column, std::int64_t max) const;
    /// Where the cell stands.
    [[nodiscard]] core::SourceSpan span(std::size_t column) const;
    void error(std::size_t column, std::string_view message) const;

private:
    void read_header();
    /// Returns false at the end of the text.
    bool next_record();
    [[nodiscard]] core::SourceSpan span_at(std::size_t begin, std::size_t length) const;

    std::shared_ptr<const core::SourceText> source_;
    core::Diagnostics& diagnostics_;
    std::vector<core::CsvColumn> wanted_;
    core::CsvRecord record_;
    std::vector<std::size_t> columns_;
    std::size_t field_count_ = 0;
    std::size_t next_begin_ = 0;  ///< Of the text, where the next line begins.
    int line_ = 0;
    bool sound_ = true;
};

}  // namespace berth::topologies
