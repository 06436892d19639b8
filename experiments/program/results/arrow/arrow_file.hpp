#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/arrow/arrow_format.hpp"
#include "experiments/program/results/arrow/flat_view.hpp"
#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {

/// A table in an Arrow IPC file, as ArrowWriter writes it, which is read batch by batch.
///
/// Errors: the constructor and read() throw core::InputError with the file's name where it is not
///         such a file or is damaged, and core::ReadError where it cannot be read.
class ArrowFile {
public:
    explicit ArrowFile(std::filesystem::path path);
    ~ArrowFile();
    ArrowFile(const ArrowFile&) = delete;
    ArrowFile& operator=(const ArrowFile&) = delete;

    /// The columns and the dictionaries, without blocks.
    [[nodiscard]] const TableColumns& table() const { return table_; }
    [[nodiscard]] std::size_t batches() const { return batches_.size(); }
    /// Reads a batch. Several threads may read at a time.
    [[nodiscard]] RowBlock read(std::size_t batch) const;

private:
    /// The metadata and the body of a message.
    struct Message {
        std::string metadata;
        std::string body;
    };
    [[nodiscard]] std::string bytes(std::uint64_t at, std::uint64_t size) const;
    void read_footer();
    void read_dictionary(const arrow::Block& block);
    [[nodiscard]] Message message(const arrow::Block& block) const;
    /// Checks that each code leads into its dictionary. Columns without any value are exempt.
    void check_codes(const RowBlock& block) const;
    template <class Work>
    auto named(Work work) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    TableColumns table_;
    std::vector<arrow::Block> batches_;
};

/// Reads a whole table in threads.
/// Errors: as ArrowFile, and core::InputError where a column has another type than in the table.
[[nodiscard]] TableColumns read_arrow_columns(Table table,
                                              const std::filesystem::path& path,
                                              unsigned threads);

}  // namespace berth::report
