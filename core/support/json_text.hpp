#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core {

/// The values of one JSON text, each with its place: one object for all texts of a file, so that
/// nothing is allocated for each text.
///
/// Shape:  values in the order of the text; of a map, each key stands before its value.
/// Cost:   16 bytes a value.
/// Limits: 4 GiB a text, 200 levels.
class JsonText {
public:
    enum class Kind : std::uint8_t { null, boolean, number, string, list, map };
    /// A value: its position among all.
    using Index = std::uint32_t;

    /// Parses a text. Returns: where it stops being JSON, in bytes from 0.
    [[nodiscard]] std::optional<std::size_t> parse(std::string_view text);
    /// Parses the value that a text begins with, which stands within `depth` others.
    /// Returns: where the text goes on behind it; nothing if it is no JSON, or not all is there.
    [[nodiscard]] std::optional<std::size_t> parse_first(std::string_view text, std::size_t depth);

    [[nodiscard]] static constexpr Index root() { return 0; }
    [[nodiscard]] Kind kind(Index value) const { return values_[value].kind; }
    [[nodiscard]] std::size_t begin(Index value) const { return values_[value].begin; }
    [[nodiscard]] std::size_t length(Index value) const {
        return values_[value].end - values_[value].begin;
    }
    /// A string without quotes and escapes, anything else as it is written. A view until the next
    /// call, or into the text.
    [[nodiscard]] std::string_view text(Index value) const;
    /// A list or a map as it is written. A view into the text.
    [[nodiscard]] std::string_view written(Index value) const {
        return text_.substr(begin(value), length(value));
    }
    /// Whether a string is written with escapes.
    [[nodiscard]] bool has_escapes(Index value) const { return values_[value].escapes; }
    /// The first value behind all that belong to this one.
    [[nodiscard]] Index behind(Index value) const { return values_[value].next; }
    /// The value under `key` of a map; nothing if there is none, it is null, or this is not a map.
    [[nodiscard]] std::optional<Index> find(Index map, std::string_view key) const;
    /// Of a list or a map: its first child (of a map, its first key), and the child after another.
    [[nodiscard]] std::optional<Index> first(Index parent) const;
    [[nodiscard]] std::optional<Index> next(Index parent, Index child) const;
    /// Calls visit(std::string_view key, Index value) with each member of a map; a key holds until
    /// the next call of text().
    template <class Visit>
    void for_each_member(Index map, Visit visit) const {
        for (Index key = map + 1; key < values_[map].next; key = values_[key + 1].next) {
            const Value& v = values_[key];
            visit(v.escapes ? text(key) : text_.substr(v.begin + 1, v.end - v.begin - 2), key + 1);
        }
    }

private:
    friend class JsonParser;
    struct Value {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        std::uint32_t next = 0;  ///< The first value behind all that belong to this one.
        Kind kind = Kind::null;
        bool escapes = false;
    };

    std::string_view text_;
    std::vector<Value> values_;
    mutable std::string decoded_;
};

}  // namespace berth::core
