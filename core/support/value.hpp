#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"

namespace berth::core {

struct Member;

/// A document as it was parsed, whatever its syntax: text, lists and maps, each with its place, so
/// that whoever interprets a value can say where it stood.
struct Value {
    enum class Kind : std::uint8_t { null, scalar, list, map };

    Kind kind = Kind::null;
    std::string text;             ///< Of a scalar, unquoted.
    std::vector<Value> items;     ///< Of a list.
    std::vector<Member> members;  ///< Of a map, in the order written.
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

/// Interprets scalars. Each records what is wrong and returns nothing when the value is not of
/// the kind asked for.
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

/// Reads a map key by key, and at the end reports every key that was not asked for, with the
/// nearest one that was.
class MapReader {
public:
    /// `what` names the map in messages: `a Topology's spec`. A value that is no map is reported,
    /// and then reads as an empty one.
    MapReader(const Value& map, std::string what, Diagnostics& diagnostics);

    /// The value under `key`, or nullptr when it is absent or null.
    [[nodiscard]] const Value* take(const std::string& key);
    /// The same, and its absence is an error.
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

    /// Call once, after the last key was taken.
    void report_unknown_keys();

    [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }
    [[nodiscard]] const SourceSpan& span() const { return map_.span; }

private:
    const Value& map_;
    std::string what_;
    Diagnostics& diagnostics_;
    std::vector<std::string> asked_;
};

/// Reports that a value is not what was expected: `found 'x': expected y`.
void expected(const Value& value, std::string_view what, Diagnostics& diagnostics);

/// `a, b or c`.
[[nodiscard]] std::string alternatives(const std::vector<std::string>& choices);

}  // namespace berth::core
