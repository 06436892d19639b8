#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/json_text.hpp"
#include "core/support/value.hpp"

namespace berth::workloads {

/// A field in an object or table of another program that changes which pod runs where or when in
/// that program, but that a run does not model. All texts are literals of a table and stay valid
/// for ever.
struct UnmodelledField {
    /// The keys from the top down, separated by dots. `[]` stands for each item of a list, and
    /// `[KEY]` for a key that may contain dots, or for all keys with the same beginning:
    /// `[BEGINNING*]`.
    std::string_view path;
    /// Which values count. Empty: all except null, false, 0 and empty values; `=a|b`: only these;
    /// `!a|b`: all except these and empty values.
    std::string_view values{};
    std::string_view words{};     ///< The name in messages. Empty: the last key of the path.
    std::string_view remedy{};    ///< The advice in messages, in place of the usual one; fields may
                                  ///< share it.
    std::uint8_t readers = 0xff;  ///< The readers that do not model the field, as bits.

    [[nodiscard]] std::string_view name() const;
    /// Whether a text counts.
    [[nodiscard]] bool counts(std::string_view text) const;
};

using FoundFields = std::vector<const UnmodelledField*>;

/// Finds the fields of a table in objects.
///
/// Cost: a few nanoseconds for each key of those maps that lie on the path of a field, however many
///       fields the table has.
class FieldTable {
public:
    /// `reader`: a bit; the fields of other readers are left out.
    explicit FieldTable(std::span<const UnmodelledField> fields, std::uint8_t reader = 0xff);

    /// Adds the fields of an object that count, each once.
    void find(const core::JsonText& json, core::JsonText::Index object, FoundFields& found) const;
    void find(const core::Value& object, FoundFields& found) const;
    /// Adds the values of the table's fields in `object` to `kept`, which is a part of `object`.
    /// The items of lists in both have the same order.
    void keep(const core::Value& object, core::Value& kept) const;

private:
    struct Node {
        std::vector<std::pair<std::string_view, std::uint32_t>> keys;
        std::uint64_t marks = 0;  ///< The marks of the keys, one bit for each mark_of().
        std::string_view beginning;
        std::uint32_t beginning_child = 0;
        std::uint32_t items = 0;  ///< Index of the node for each item of a list; 0: none.
        const UnmodelledField* field = nullptr;
    };

    void add(const UnmodelledField& field);
    [[nodiscard]] std::uint32_t make_child(std::uint32_t node, std::string_view step);
    [[nodiscard]] const Node* child(const Node& node, std::string_view key) const;
    template <class View>
    void walk(const View& view, const Node& node, FoundFields& found) const;
    void keep(const core::Value& object, core::Value& kept, const Node& node) const;
    void keep_members(const core::Value& object, core::Value& kept, const Node& node) const;

    std::vector<Node> nodes_;
};

/// Counts objects by the fields that they have, and describes them in a few lines.
class FieldCounts {
public:
    void count(const UnmodelledField& field, std::uint64_t more = 1);
    void count(const FoundFields& found, std::uint64_t more = 1);
    /// One line for each remedy: `12 pods with hostPort, 3 with ephemeral and 1 with csi: a run
    /// does not go by these; docs/reference/fields.md says what it goes by`. `object` is a singular
    /// noun.
    [[nodiscard]] std::vector<std::string> lines(std::string_view object) const;

private:
    /// Counts, keyed by remedy and then by name.
    std::map<std::string_view, std::map<std::string_view, std::uint64_t>> counts_;
};

}  // namespace berth::workloads
