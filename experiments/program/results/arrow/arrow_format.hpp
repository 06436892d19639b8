#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Numbers of Apache Arrow's IPC format, as in its FlatBuffers schemas. The beginning of a name
/// says what it belongs to: `message_header` is the field `header` of a Message.
///
/// Source: Apache Arrow, "Arrow Columnar Format", section "Serialization and Interprocess
///         Communication (IPC)"; format/File.fbs, format/Message.fbs, format/Schema.fbs.
namespace berth::report::arrow {

inline constexpr std::string_view magic = "ARROW1";
/// The alignment of buffers and of the data behind the magic.
inline constexpr std::size_t alignment = 8;
/// The size of the prefix before a message's metadata: 0xFFFFFFFF, and the length of the metadata.
inline constexpr std::size_t prefix_bytes = 8;
inline constexpr std::uint32_t continuation = 0xFFFFFFFF;
inline constexpr std::int16_t version_5 = 4;

inline constexpr std::size_t message_version = 0;
inline constexpr std::size_t message_header_type = 1;
inline constexpr std::size_t message_header = 2;
inline constexpr std::size_t message_body_length = 3;
inline constexpr std::size_t message_metadata = 4;

enum class Header : std::uint8_t { none, schema, dictionary_batch, record_batch };

inline constexpr std::size_t schema_fields = 1;
inline constexpr std::size_t schema_metadata = 2;

inline constexpr std::size_t field_name = 0;
inline constexpr std::size_t field_nullable = 1;
inline constexpr std::size_t field_type_type = 2;
inline constexpr std::size_t field_type = 3;
inline constexpr std::size_t field_dictionary = 4;
inline constexpr std::size_t field_children = 5;
inline constexpr std::size_t field_metadata = 6;

inline constexpr std::size_t pair_key = 0;
inline constexpr std::size_t pair_value = 1;

enum class FieldType : std::uint8_t {
    none = 0,
    whole = 2,
    floating = 3,
    truth = 6,
    large_utf8 = 20,
};
inline constexpr std::size_t whole_bits = 0;
inline constexpr std::size_t whole_is_signed = 1;
inline constexpr std::size_t floating_precision = 0;
inline constexpr std::int16_t double_precision = 2;

inline constexpr std::size_t dictionary_id = 0;
inline constexpr std::size_t dictionary_index_type = 1;

inline constexpr std::size_t dictionary_batch_id = 0;
inline constexpr std::size_t dictionary_batch_data = 1;
inline constexpr std::size_t dictionary_batch_is_delta = 2;

inline constexpr std::size_t record_batch_length = 0;
inline constexpr std::size_t record_batch_nodes = 1;
inline constexpr std::size_t record_batch_buffers = 2;
inline constexpr std::size_t record_batch_compression = 3;

inline constexpr std::size_t compression_codec = 0;
inline constexpr std::int8_t zstd_codec = 1;
/// Stands in the place of a buffer's size where this buffer is not compressed but others are.
inline constexpr std::int64_t not_packed = -1;

inline constexpr std::size_t footer_version = 0;
inline constexpr std::size_t footer_schema = 1;
inline constexpr std::size_t footer_dictionaries = 2;
inline constexpr std::size_t footer_record_batches = 3;

/// The lengths of a column in a batch.
struct Node {
    std::int64_t length;
    std::int64_t nulls;
};
/// The place of a buffer in the body of a message.
struct Buffer {
    std::int64_t offset;
    std::int64_t length;
};
/// The place of a message in the file.
struct Block {
    std::int64_t offset;
    std::int32_t metadata_length;  ///< The length with the prefix.
    std::int32_t padding;
    std::int64_t body_length;
};

template <class Struct>
void append_struct(std::string& out, const Struct& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace berth::report::arrow
