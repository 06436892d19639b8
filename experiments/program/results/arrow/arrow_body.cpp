#include "experiments/program/results/arrow/arrow_body.hpp"

#include <vector>

#include "experiments/program/results/arrow/arrow_format.hpp"
#include "experiments/program/support/zstd_writer.hpp"

namespace berth::report {
namespace {

using namespace arrow;

template <class Value>
std::string_view bytes_of(const std::vector<Value>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

}  // namespace

void ArrowBody::add_column(const ColumnFields& fields, Type type, std::int64_t rows) {
    append_struct(nodes_, Node{rows, fields.nulls});
    ++node_count_;
    add_buffer(fields.nulls == 0 ? std::string_view() : bytes_of(fields.valid));
    switch (type) {
        case Type::category:
            add_buffer(bytes_of(fields.codes));
            break;
        case Type::flag:
            add_buffer(bytes_of(fields.flags));
            break;
        case Type::name:
            add_buffer(bytes_of(fields.offsets));
            add_buffer(fields.letters);
            break;
        case Type::number:
        case Type::time:
            add_buffer(bytes_of(fields.numbers));
            break;
        case Type::integer:
        case Type::unsigned_integer:
            add_buffer(bytes_of(fields.wholes));
            break;
    }
}

FlatTable ArrowBody::batch(std::int64_t rows) const {
    FlatTable out;
    out.number(record_batch_length, rows)
        .structs(record_batch_nodes, nodes_, node_count_)
        .structs(record_batch_buffers, buffers_, buffer_count_);
    if (compress_) {
        out.table(record_batch_compression, FlatTable().number(compression_codec, zstd_codec));
    }
    return out;
}

void ArrowBody::add_buffer(std::string_view buffer) {
    const std::size_t begin = bytes_.size();
    if (compress_ && !buffer.empty()) {
        const std::string packed = experiments::zstd_packed(buffer);
        const bool pays = packed.size() < buffer.size();
        append_struct(bytes_, pays ? static_cast<std::int64_t>(buffer.size()) : not_packed);
        bytes_ += pays ? std::string_view(packed) : buffer;
    } else {
        bytes_ += buffer;
    }
    append_struct(
        buffers_,
        Buffer{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(bytes_.size() - begin)});
    ++buffer_count_;
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
}

}  // namespace berth::report
