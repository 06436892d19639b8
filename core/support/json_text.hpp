#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core {

/// The values of one JSON text, each with its place. One object serves all texts of a file, so that
/// no text needs an allocation of its own.
///
/// Shape:  the values stand in the order of the text; in a map, each key stands before its value.
/// Cost:   16 bytes for each value.
/// Limits: 4 GiB for a text.
class JsonText {
public:
    enum class Kind : std::uint8_t { null, boolean, number, string, list, map };
    /// A value, as its position among all values.
    using Index = std::uint32_t;

    /// Parses a text, which must stay where it is. Returns: the byte, counted from 0, at which it
    /// stops being JSON or has more levels; nothing if all of it is JSON.
    [[nodiscard]] std::optional<std::size_t> parse(std::string_view text,
                                                   std::size_t levels_max = 200);
    /// Parses the value at the beginning of a text, nested `depth` levels deep, of at most 200.
    /// Returns: the byte behind the value; nothing if it is not JSON or is not complete.
    [[nodiscard]] std::optional<std::size_t> parse_first(std::string_view text, std::size_t depth);

    [[nodiscard]] static constexpr Index root() { return 0; }
    [[nodiscard]] Kind kind(Index value) const { return values_[value].kind; }
    [[nodiscard]] std::size_t begin(Index value) const { return values_[value].begin; }
    [[nodiscard]] std::size_t length(Index value) const {
        return values_[value].end - values_[value].begin;
    }
    /// A string without its quotes and escapes, and any other value as it is written. The view
    /// lasts until the next call, or points into the text.
    [[nodiscard]] std::string_view text(Index value) const;
    /// A list or a map as it is written, as a view into the text.
    [[nodiscard]] std::string_view written(Index value) const {
        return text_.substr(begin(value), length(value));
    }
    /// Whether a string is written with escapes.
    [[nodiscard]] bool has_escapes(Index value) const { return values_[value].escapes; }
    /// The first value behind all values inside this one.
    [[nodiscard]] Index behind(Index value) const { return values_[value].next; }
    /// The value under `key` of a map; nothing if there is none, or if `map` is not a map.
    [[nodiscard]] std::optional<Index> find_member(Index map, std::string_view key) const;
    /// The same, but nothing if the value is null.
    [[nodiscard]] std::optional<Index> find(Index map, std::string_view key) const {
        const std::optional<Index> found = find_member(map, key);
        return found && kind(*found) == Kind::null ? std::nullopt : found;
    }
    /// The first child of a list or a map (in a map, its first key), and the child that follows
    /// another one.
    [[nodiscard]] std::optional<Index> first(Index parent) const;
    [[nodiscard]] std::optional<Index> next(Index parent, Index child) const;
    /// Calls visit(std::string_view key, Index value) for each member of a map. A key is valid
    /// until the next call of text().
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
        std::uint32_t next = 0;  ///< The first value behind all values inside this one.
        Kind kind = Kind::null;
        bool escapes = false;
    };

    std::string_view text_;
    std::vector<Value> values_;
    mutable std::string decoded_;
};

}  // namespace berth::core
