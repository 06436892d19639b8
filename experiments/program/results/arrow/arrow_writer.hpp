#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "experiments/program/results/arrow/arrow_format.hpp"
#include "experiments/program/results/arrow/flat_table.hpp"
#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/support/zstd_writer.hpp"

namespace berth::report {

/// Writes a table of a run directory as an Arrow IPC file (Feather V2), with the types that the
/// Python package has: docs/reference/run-directory.md, "Tables as Arrow files". Dictionaries stand
/// at the end of the file, where all their values are known.
///
/// Cost:   memory for a batch of rows, as text and as columns, and for the values of categories.
class ArrowWriter final : public experiments::TablePacker {
public:
    /// `compress`: compress each buffer with zstd. `name` stands for the file in messages.
    ArrowWriter(Table table, std::string name, bool compress);

    [[nodiscard]] std::string add(std::string_view piece) override;
    [[nodiscard]] std::string finish() override;

private:
    /// The values of a category so far.
    struct Category {
        std::unordered_map<std::string, std::int32_t> codes;
        ColumnFields values;
    };

    /// Moves a line with its end from `piece` to the text.
    /// Returns: whether a record ends there.
    bool take_line(std::string_view& piece);
    [[nodiscard]] std::string batches();
    void merge_dictionaries(TableColumns& rows);
    [[nodiscard]] std::string schema_message(const TableColumns& rows);
    [[nodiscard]] FlatTable schema() const;
    /// Appends a message to the file and notes its place. `about` is the message's header.
    [[nodiscard]] std::string message(FlatTable about,
                                      arrow::Header type,
                                      std::string_view body,
                                      std::vector<arrow::Block>* blocks);
    [[nodiscard]] std::string footer() const;

    Table table_;
    std::string name_;
    bool compress_;
    std::string text_;              ///< The header, and the rows of the current batch.
    std::size_t header_bytes_ = 0;  ///< The size of the header; 0 until it is known.
    std::size_t rows_ = 0;
    bool inside_quotes_ = false;  ///< Whether the last line ends inside quotes.
    std::size_t line_begin_ = 0;  ///< Where the current line begins.
    std::vector<ColumnHead> heads_;
    std::vector<Category> categories_;  ///< One category for each column.
    std::uint64_t written_ = 0;         ///< Bytes of the file so far.
    std::vector<arrow::Block> dictionary_blocks_;
    std::vector<arrow::Block> batch_blocks_;
};

}  // namespace berth::report
