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

/// A table of FlatBuffers to write: its fields by their number in the schema. Fields that are not
/// set have their default.
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
    /// A vector of structs that are aligned to 8 bytes: all of them, one after the other.
    FlatTable& structs(std::size_t field, std::string bytes, std::size_t count);

    /// A buffer whose root is this table, padded to 8 bytes.
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
        std::size_t size = 0;  ///< In the table: of the number itself, or 4 of an offset.
        /// A number's bytes, or what an offset leads to.
        std::variant<std::string, Text, Structs, std::vector<FlatTable>> value;
        bool is_vector = false;  ///< Whether tables are a vector of them, or a single one.
    };

    /// Appends the table to a buffer. Returns: where it begins.
    std::size_t write(std::string& out) const;
    static void write(const Field& field, std::string& out, std::size_t offset_at);

    std::vector<Field> fields_;
};

}  // namespace berth::report
