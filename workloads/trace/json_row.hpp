#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/json_text.hpp"
#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/placed_json.hpp"

namespace berth::workloads {

using core::JsonText;

/// A row of a trace that is a JSON object, and its place in the file.
class JsonRow {
public:
    using Index = JsonText::Index;

    explicit JsonRow(std::string file) : file_(std::move(file)) {}

    /// Takes the next row. `cut`: the file ends with the row, without a line end.
    /// Errors: RowError for a text that is no JSON, or no object.
    void parse(std::string_view text, std::uint64_t line, std::size_t column, bool cut = false);
    /// Takes the current element. Errors: the same, and RowError for one that is too long.
    void parse(const JsonElements& element);
    /// Takes a value of a document. The value must outlive the row; messages give its place in the
    /// document.
    /// Errors: RowError for a value that is no object.
    void parse(const PlacedJson& object);
    [[nodiscard]] const JsonText& json() const { return json_; }

    /// The value at the path `keys`; nothing if one of the keys is missing or null.
    [[nodiscard]] std::optional<Index> find(std::initializer_list<std::string_view> keys) const;
    /// The same below `from`; nothing if `from` is nothing.
    [[nodiscard]] std::optional<Index> find(std::optional<Index> from,
                                            std::initializer_list<std::string_view> keys) const;
    /// The text of a string, a number or a boolean. Errors: RowError for a list or a map.
    [[nodiscard]] std::string_view text(Index value) const;
    /// The same for the value at `keys`; "" if there is none.
    [[nodiscard]] std::string_view text(std::initializer_list<std::string_view> keys) const;
    /// The value as a date and time. Errors: RowError for anything else.
    [[nodiscard]] sim::SimTime date(Index value) const;
    /// Calls visit(Index) with each value of a list, if there is a list. Errors: RowError for a
    /// value that is no list.
    template <class Visit>
    void for_each(std::optional<Index> list, Visit visit) const {
        if (!list) {
            return;
        }
        if (json_.kind(*list) != JsonText::Kind::list) {
            fail(*list, "no list: expected one");
        }
        for (auto at = json_.first(*list); at; at = json_.next(*list, *at)) {
            visit(*at);
        }
    }
    /// Calls visit(Index key, Index value) with each member of a map, if there is a map.
    /// Errors: RowError for a value that is no map.
    template <class Visit>
    void for_each_member(std::optional<Index> map, Visit visit) const {
        if (!map) {
            return;
        }
        if (json_.kind(*map) != JsonText::Kind::map) {
            fail(*map, "no map: expected one");
        }
        for (auto key = json_.first(*map); key; key = json_.next(*map, *key)) {
            visit(*key, *key + 1);
        }
    }

    /// Throws a RowError at a value.
    [[noreturn]] void fail(Index value, std::string_view message) const;
    /// Throws a RowError at the beginning of a row that is too long to be parsed.
    [[noreturn]] static void fail_long(const std::string& file,
                                       std::uint64_t line,
                                       std::size_t column,
                                       std::size_t bytes_max);

private:
    [[noreturn]] void fail_at(std::size_t begin,
                              std::size_t length,
                              std::string_view message) const;

    std::string file_;
    std::string_view row_;
    std::uint64_t line_ = 1;
    std::size_t column_ = 1;
    bool cut_ = false;
    JsonText json_;
    const PlacedJson* of_document_ = nullptr;  ///< The document that the row is from; nullptr: the
                                               ///< row is a part of the file's text.
};

}  // namespace berth::workloads
