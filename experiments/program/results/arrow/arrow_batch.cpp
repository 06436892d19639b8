#include "experiments/program/results/arrow/arrow_batch.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "core/support/zstd_reader.hpp"
#include "experiments/program/results/arrow/arrow_format.hpp"

namespace berth::report {
namespace {

using namespace arrow;

void require(bool holds, const char* otherwise) {
    if (!holds) {
        throw std::runtime_error(otherwise);
    }
}

template <class Struct>
std::vector<Struct> structs_of(const FlatView& table, std::size_t field) {
    const std::string_view bytes = table.structs(field, sizeof(Struct));
    std::vector<Struct> out(bytes.size() / sizeof(Struct));
    if (!out.empty()) {
        std::memcpy(out.data(), bytes.data(), bytes.size());
    }
    return out;
}

template <class Value>
std::vector<Value> values_of(std::string_view bytes, std::size_t count) {
    require(bytes.size() >= count * sizeof(Value), "a column has fewer values than rows");
    std::vector<Value> out(count);
    if (count > 0) {
        std::memcpy(out.data(), bytes.data(), count * sizeof(Value));
    }
    return out;
}

/// Gives out the buffers of the body one after the other.
class Buffers {
public:
    Buffers(const FlatView& batch, std::string_view body)
        : body_(body), buffers_(structs_of<Buffer>(batch, record_batch_buffers)) {
        if (const auto compression = batch.table(record_batch_compression)) {
            require(compression->number<std::int8_t>(compression_codec, 0) == zstd_codec,
                    "it is compressed by another method than zstd");
            compressed_ = true;
        }
    }

    [[nodiscard]] bool at_end() const { return next_ == buffers_.size(); }
    /// The buffer stays valid until the next one is taken.
    std::string_view take() {
        require(!at_end(), "a batch has too few buffers");
        const Buffer& buffer = buffers_[next_++];
        const auto size = static_cast<std::int64_t>(body_.size());
        require(buffer.offset >= 0 && buffer.length >= 0 && buffer.offset <= size &&
                    buffer.length <= size - buffer.offset,
                "a buffer lies outside of its batch");
        const std::string_view bytes = body_.substr(static_cast<std::size_t>(buffer.offset),
                                                    static_cast<std::size_t>(buffer.length));
        return compressed_ && !bytes.empty() ? unpacked(bytes) : bytes;
    }

private:
    std::string_view unpacked(std::string_view bytes) {
        std::int64_t size = 0;
        require(bytes.size() >= sizeof size, "a buffer is cut short");
        std::memcpy(&size, bytes.data(), sizeof size);
        bytes.remove_prefix(sizeof size);
        if (size == not_packed) {
            return bytes;
        }
        // A buffer with a wrong size must neither take that much memory nor more.
        core::ZstdReader in(std::make_unique<std::istringstream>(std::string(bytes)));
        std::vector<char> block(std::size_t{1} << 17U);
        unpacked_.clear();
        std::streamsize got = 0;
        do {
            got = in.rdbuf()->sgetn(block.data(), static_cast<std::streamsize>(block.size()));
            unpacked_.append(block.data(), static_cast<std::size_t>(got));
        } while (got > 0 && static_cast<std::int64_t>(unpacked_.size()) <= size);
        require(static_cast<std::int64_t>(unpacked_.size()) == size,
                "a buffer has another size than it says");
        return unpacked_;
    }

    std::string_view body_;
    std::vector<Buffer> buffers_;
    std::size_t next_ = 0;
    bool compressed_ = false;
    std::string unpacked_;
};

void read_letters(Buffers& buffers, std::size_t rows, ColumnFields& out) {
    out.offsets = values_of<std::int64_t>(buffers.take(), rows + 1);
    out.letters = buffers.take();
    require(out.offsets.front() >= 0 && std::ranges::is_sorted(out.offsets) &&
                out.offsets.back() <= static_cast<std::int64_t>(out.letters.size()),
            "a text lies outside of its column");
}

/// Reads which rows have a value: all of them, where the file may leave that out.
void read_valid(Buffers& buffers, const Node& node, ColumnFields& out) {
    constexpr unsigned bits = 8;
    const auto rows = static_cast<std::size_t>(node.length);
    const std::string_view valid = buffers.take();
    if (node.nulls == 0) {
        out.valid.assign((rows + bits - 1) / bits, 0xFF);
        return;
    }
    out.valid = values_of<std::uint8_t>(valid, (rows + bits - 1) / bits);
    if (rows % bits != 0) {
        out.valid.back() &= static_cast<std::uint8_t>((1U << (rows % bits)) - 1);
    }
    std::int64_t values = 0;
    for (const std::uint8_t eight : out.valid) {
        values += std::popcount(eight);
    }
    out.nulls = node.length - values;
    require(out.nulls == node.nulls, "a column has another number of gaps than it says");
}

ColumnFields read_column(Buffers& buffers, const Node& node, Type type) {
    const auto rows = static_cast<std::size_t>(node.length);
    const std::size_t bit_bytes = (rows + 7) / 8;
    ColumnFields out;
    read_valid(buffers, node, out);
    switch (type) {
        case Type::category:
            out.codes = values_of<std::int32_t>(buffers.take(), rows);
            break;
        case Type::flag:
            out.flags = values_of<std::uint8_t>(buffers.take(), bit_bytes);
            break;
        case Type::name:
            read_letters(buffers, rows, out);
            break;
        case Type::number:
        case Type::time:
            out.numbers = values_of<double>(buffers.take(), rows);
            break;
        case Type::integer:
        case Type::unsigned_integer:
            out.wholes = values_of<std::int64_t>(buffers.take(), rows);
            break;
    }
    return out;
}

}  // namespace

RowBlock read_arrow_batch(const FlatView& batch,
                          std::string_view body,
                          const std::vector<Type>& types) {
    constexpr std::int64_t rows_max = std::int64_t{1} << 31U;
    RowBlock block;
    block.rows = batch.number<std::int64_t>(record_batch_length, 0);
    require(block.rows >= 0 && block.rows <= rows_max, "a batch has no number of rows");
    const auto nodes = structs_of<Node>(batch, record_batch_nodes);
    require(nodes.size() == types.size(), "a batch has another number of columns");
    Buffers buffers(batch, body);
    for (std::size_t column = 0; column < types.size(); ++column) {
        require(nodes[column].length == block.rows, "a column has another number of rows");
        block.columns.push_back(read_column(buffers, nodes[column], types[column]));
    }
    require(buffers.at_end(), "a batch has too many buffers");
    return block;
}

}  // namespace berth::report
