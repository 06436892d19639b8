#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/program/results/arrow/flat_table.hpp"
#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {

/// The part of an Arrow file that follows the metadata of a batch: the buffers of its columns, one
/// after the other.
class ArrowBody {
public:
    /// `compress`: compress each buffer with zstd, unless that makes it no smaller.
    explicit ArrowBody(bool compress) : compress_(compress) {}

    void add_column(const ColumnFields& fields, Type type, std::int64_t rows);
    /// The record batch with the places of the buffers.
    [[nodiscard]] FlatTable batch(std::int64_t rows) const;
    [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
    void add_buffer(std::string_view buffer);

    bool compress_;
    std::string bytes_;
    std::string nodes_;
    std::size_t node_count_ = 0;
    std::string buffers_;
    std::size_t buffer_count_ = 0;
};

}  // namespace berth::report
