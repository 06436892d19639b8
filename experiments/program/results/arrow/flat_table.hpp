#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::report {

/// A FlatBuffers table to be written, with its fields by their numbers in the schema. A field that
/// is not set has its default.
///
/// Source: FlatBuffers, "FlatBuffers Binary Format". All numbers are little-endian.
class FlatTable {
public:
    template <class Number>
    FlatTable& number(std::size_t field, Number value) {
        std::array<char, sizeof value> bytes{};
        std::memcpy(bytes.data(), &value, sizeof value);
        fields_.push_back({field, sizeof value, std::string(bytes.data(), bytes.size())});
        return *this;
    }
    FlatTable& text(std::size_t field, std::string_view value);
    FlatTable& table(std::size_t field, FlatTable value);
    FlatTable& tables(std::size_t field, std::vector<FlatTable> value);
    /// Sets a vector of structs that are aligned to 8 bytes. `bytes` has all of them, one after the
    /// other.
    FlatTable& structs(std::size_t field, std::string bytes, std::size_t count);

    /// A buffer with this table as its root, padded to 8 bytes.
    [[nodiscard]] std::string buffer() const;

private:
    struct Text {
        std::string value;
    };
    struct Structs {
        std::string bytes;
        std::size_t count = 0;
    };
    struct Field {
        std::size_t number = 0;
        /// The size in the table: that of a number itself, or 4 for an offset.
        std::size_t size = 0;
        /// The bytes of a number, or the value that an offset leads to.
        std::variant<std::string, Text, Structs, std::vector<FlatTable>> value;
        bool is_vector = false;  ///< Whether tables form a vector, or are a single table.
    };

    /// Appends the table to a buffer.
    /// Returns: where the table begins.
    std::size_t write(std::string& out) const;
    static void write(const Field& field, std::string& out, std::size_t offset_at);

    std::vector<Field> fields_;
};

}  // namespace berth::report
