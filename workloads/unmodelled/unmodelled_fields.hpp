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

/// A field of another program's object or table that changes who runs where or when there, and by
/// which no run goes. All texts outlive everybody: they are literals of a table.
struct UnmodelledField {
    /// Keys one below the other, with dots between them; `[]` stands for each item of a list, and
    /// `[KEY]` for a key that may have dots itself, or for all that begin alike: `[BEGINNING*]`.
    std::string_view path;
    /// Which values count. Empty: all that say something, which null, false, 0 and what is empty do
    /// not; `=a|b`: these alone; `!a|b`: all but these and empty ones.
    std::string_view values{};
    std::string_view words{};     ///< What messages call it. Empty: the last key of its path.
    std::string_view remedy{};    ///< What messages say instead of the usual; fields may share it.
    std::uint8_t readers = 0xff;  ///< Those that do not go by it, as bits of a number.

    [[nodiscard]] std::string_view name() const;
    /// Whether a text counts.
    [[nodiscard]] bool counts(std::string_view text) const;
};

using FoundFields = std::vector<const UnmodelledField*>;

/// Finds fields of a table in objects.
///
/// Cost: a few nanoseconds for each key of those maps on whose way some field lies, however many
///       fields the table has.
class FieldTable {
public:
    /// `reader`: a bit; fields of other readers are left out.
    explicit FieldTable(std::span<const UnmodelledField> fields, std::uint8_t reader = 0xff);

    /// Adds the fields that an object has and that count, each once.
    void find(const core::JsonText& json, core::JsonText::Index object, FoundFields& found) const;
    void find(const core::Value& object, FoundFields& found) const;
    /// Adds to `kept`, which is a part of `object`, what the table's fields are in the object.
    /// Items of lists that are in both stand in the same order.
    void keep(const core::Value& object, core::Value& kept) const;

private:
    struct Node {
        std::vector<std::pair<std::string_view, std::uint32_t>> keys;
        std::uint64_t marks = 0;  ///< A bit for each mark_of() of the keys.
        std::string_view beginning;
        std::uint32_t beginning_child = 0;
        std::uint32_t items = 0;  ///< What holds for each item of a list; 0: nothing.
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

/// Counts objects by the fields that they have, and tells of them in few lines.
class FieldCounts {
public:
    void count(const UnmodelledField& field, std::uint64_t more = 1);
    void count(const FoundFields& found, std::uint64_t more = 1);
    /// A line for each remedy: `12 pods with hostPort, 3 with ephemeral and 1 with csi: a run does
    /// not go by these; docs/reference/fields.md says what it goes by`. `object`: in the singular.
    [[nodiscard]] std::vector<std::string> lines(std::string_view object) const;

private:
    /// By remedy and name.
    std::map<std::string_view, std::map<std::string_view, std::uint64_t>> counts_;
};

}  // namespace berth::workloads
