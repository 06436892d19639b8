#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"

namespace berth::core {

struct Member;

/// A parsed document, whatever its syntax: text, lists and maps, each with its place, so that code
/// that interprets a value can say where it stood.
struct Value {
    enum class Kind : std::uint8_t { null, scalar, list, map };

    Kind kind = Kind::null;
    std::string text;             ///< The text of a scalar, unquoted.
    std::vector<Value> items;     ///< The items of a list.
    std::vector<Member> members;  ///< The members of a map, in the order in which they are written.
    SourceSpan span;

    [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
    [[nodiscard]] bool is_list() const { return kind == Kind::list; }
    [[nodiscard]] bool is_map() const { return kind == Kind::map; }
    /// The value under `key` of a map, or nullptr.
    [[nodiscard]] const Value* find(std::string_view key) const;
    [[nodiscard]] Value* find(std::string_view key);
};

struct Member {
    std::string key;
    SourceSpan key_span;
    Value value;
};

/// The following functions interpret a scalar. Each reports what is wrong and returns nothing if
/// the value is not of the expected kind.
[[nodiscard]] std::optional<std::string> read_text(const Value& value, Diagnostics& diagnostics);
[[nodiscard]] std::optional<std::int64_t> read_integer(const Value& value,
                                                       Diagnostics& diagnostics,
                                                       std::int64_t min,
                                                       std::int64_t max);
[[nodiscard]] std::optional<double> read_number(const Value& value,
                                                Diagnostics& diagnostics,
                                                double min,
                                                double max);
[[nodiscard]] std::optional<bool> read_boolean(const Value& value, Diagnostics& diagnostics);

/// Reads a map key by key. At the end it reports every key that was not asked for, together with
/// the nearest one that was.
class MapReader {
public:
    /// `what` names the map in messages: `a Topology's spec`. A value that is not a map is
    /// reported, and is then read as an empty map.
    MapReader(const Value& map, std::string what, Diagnostics& diagnostics);

    /// The value under `key`, or nullptr when it is absent or null.
    [[nodiscard]] const Value* take(const std::string& key);
    /// The same, but its absence is an error.
    [[nodiscard]] const Value* need(const std::string& key);

    [[nodiscard]] std::string text(const std::string& key, std::string_view otherwise);
    [[nodiscard]] std::int64_t integer(const std::string& key,
                                       std::int64_t otherwise,
                                       std::int64_t min,
                                       std::int64_t max);
    [[nodiscard]] double number(const std::string& key, double otherwise, double min, double max);
    [[nodiscard]] bool boolean(const std::string& key, bool otherwise);
    /// The position in `choices` of the text under `key`.
    [[nodiscard]] std::size_t choice(const std::string& key,
                                     const std::vector<std::string>& choices,
                                     std::size_t otherwise);

    /// Call this once, after the last key was taken.
    void report_unknown_keys();

    [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }
    [[nodiscard]] const SourceSpan& span() const { return map_.span; }

private:
    const Value& map_;
    std::string what_;
    Diagnostics& diagnostics_;
    std::vector<std::string> asked_;
};

/// Reports that a value is not the expected one: `found 'x': expected y`.
void expected(const Value& value, std::string_view what, Diagnostics& diagnostics);

/// The choices in the form `a, b or c`.
[[nodiscard]] std::string alternatives(const std::vector<std::string>& choices);

}  // namespace berth::core
