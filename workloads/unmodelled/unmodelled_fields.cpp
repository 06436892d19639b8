#include "workloads/unmodelled/unmodelled_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::workloads {
namespace {

using core::JsonText;
using core::Value;

/// One of 64 marks, which tells most keys apart from all keys of a map in the table.
std::uint64_t mark_of(std::string_view key) {
    if (key.empty()) {
        return 1;
    }
    const auto first = static_cast<unsigned char>(key.front());
    const auto middle = static_cast<unsigned char>(key[key.size() / 2]);
    const auto last = static_cast<unsigned char>(key.back());
    return std::uint64_t{1} << ((key.size() * 7 + first + middle * 5U + last * 11U) % 64);
}

/// Removes the first step from a path and returns it: a key, or "[]" for the items of a list.
std::string_view take_step(std::string_view& path) {
    if (path.starts_with("[]")) {
        path.remove_prefix(2);
        return "[]";
    }
    if (path.front() == '[') {
        const std::size_t end = path.find(']');
        const std::string_view key = path.substr(1, end - 1);
        path.remove_prefix(end + 1);
        return key;
    }
    path.remove_prefix(path.front() == '.' ? 1 : 0);
    const std::string_view key = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(key.size());
    return key;
}

class JsonView {
public:
    JsonView(const JsonText& json, JsonText::Index at) : json_(json), at_(at) {}

    [[nodiscard]] bool is_scalar() const { return (!is_map() && !is_list()) || is_number(); }
    [[nodiscard]] bool says_nothing() const {
        return json_.kind(at_) == JsonText::Kind::null || (!is_scalar() && !json_.first(at_));
    }
    [[nodiscard]] std::string_view text() const {
        if (!is_map()) {
            return json_.text(at_);
        }
        const auto set = json_.find(at_, "set");
        return set && json_.text(*set) == "false" ? "" : json_.text(*json_.find(at_, "number"));
    }
    template <class Visit>
    void for_each_member(Visit visit) const {
        if (is_map()) {
            json_.for_each_member(at_, [&](std::string_view key, JsonText::Index value) {
                visit(key, JsonView(json_, value));
            });
        }
    }
    template <class Visit>
    void for_each_item(Visit visit) const {
        for (auto item = is_list() ? json_.first(at_) : std::nullopt; item;
             item = json_.next(at_, *item)) {
            visit(JsonView(json_, *item));
        }
    }

private:
    /// Whether this is a number as Slurm writes it: `{"set": true, "number": 4}`.
    [[nodiscard]] bool is_number() const {
        return is_map() && json_.find(at_, "set") && json_.find(at_, "number");
    }
    [[nodiscard]] bool is_map() const { return json_.kind(at_) == JsonText::Kind::map; }
    [[nodiscard]] bool is_list() const { return json_.kind(at_) == JsonText::Kind::list; }

    const JsonText& json_;
    JsonText::Index at_;
};

class ValueView {
public:
    explicit ValueView(const Value& value) : value_(value) {}

    [[nodiscard]] bool is_scalar() const { return value_.is_scalar(); }
    [[nodiscard]] bool says_nothing() const {
        return !is_scalar() && value_.items.empty() && value_.members.empty();
    }
    [[nodiscard]] std::string_view text() const { return value_.text; }
    template <class Visit>
    void for_each_member(Visit visit) const {
        for (const core::Member& member : value_.members) {
            visit(std::string_view(member.key), ValueView(member.value));
        }
    }
    template <class Visit>
    void for_each_item(Visit visit) const {
        for (const Value& item : value_.items) {
            visit(ValueView(item));
        }
    }

private:
    const Value& value_;
};

/// Whether a value counts. A map or list that is not empty counts unless the field names the only
/// texts that count.
template <class View>
bool counts(const View& view, const UnmodelledField& field) {
    if (view.says_nothing()) {
        return false;
    }
    return view.is_scalar() ? field.counts(view.text()) : !field.values.starts_with('=');
}

/// Such as `12 pods with hostPort, 3 with ephemeral and 1 with csi`.
std::string counted(const std::vector<std::pair<std::string_view, std::uint64_t>>& fields,
                    std::string_view object) {
    constexpr std::size_t named_max = 5;
    const std::size_t named = std::min(fields.size(), named_max);
    std::string out;
    for (std::size_t i = 0; i < named; ++i) {
        const auto& [name, count] = fields[i];
        const bool last = i + 1 == fields.size();
        out += i == 0 ? "" : last ? " and " : ", ";
        out += fmt::to_string(count);
        if (i == 0) {
            out += fmt::format(" {}{}", object, count == 1 ? "" : "s");
        }
        out += fmt::format(" with {}", name);
    }
    return named == fields.size() ? out : fmt::format("{} and {} more", out, fields.size() - named);
}

}  // namespace

std::string_view UnmodelledField::name() const {
    if (!words.empty()) {
        return words;
    }
    std::string_view left = path;
    std::string_view last;
    while (!left.empty()) {
        const std::string_view step = take_step(left);
        last = step == "[]" ? last : step;
    }
    return last;
}

bool UnmodelledField::counts(std::string_view text) const {
    if (values.empty()) {
        return !text.empty() && text != "false" && text != "0";
    }
    std::string_view left = values.substr(1);
    bool among = false;
    while (!left.empty() && !among) {
        const std::string_view one = left.substr(0, left.find('|'));
        among = text == one;
        left.remove_prefix(std::min(one.size() + 1, left.size()));
    }
    return values.front() == '=' ? among : !among && !text.empty();
}

FieldTable::FieldTable(std::span<const UnmodelledField> fields, std::uint8_t reader) : nodes_(1) {
    for (const UnmodelledField& field : fields) {
        if ((field.readers & reader) != 0) {
            add(field);
        }
    }
}

void FieldTable::add(const UnmodelledField& field) {
    std::uint32_t at = 0;
    for (std::string_view path = field.path; !path.empty();) {
        at = make_child(at, take_step(path));
    }
    BERTH_ASSERT(nodes_[at].field == nullptr, "a table has each path once");
    nodes_[at].field = &field;
}

std::uint32_t FieldTable::make_child(std::uint32_t node, std::string_view step) {
    const auto fresh = static_cast<std::uint32_t>(nodes_.size());
    Node& parent = nodes_[node];
    const auto known =
        std::ranges::find(parent.keys, step, [](const auto& key) { return key.first; });
    if (known != parent.keys.end()) {
        return known->second;
    }
    if (step == "[]" && parent.items != 0) {
        return parent.items;
    }
    if (step == "[]") {
        parent.items = fresh;
    } else if (step.ends_with('*')) {
        BERTH_ASSERT(parent.beginning.empty(), "a map has one beginning at most");
        parent.beginning = step.substr(0, step.size() - 1);
        parent.beginning_child = fresh;
    } else {
        parent.keys.emplace_back(step, fresh);
        parent.marks |= mark_of(step);
    }
    nodes_.emplace_back();
    return fresh;
}

const FieldTable::Node* FieldTable::child(const Node& node, std::string_view key) const {
    if ((node.marks & mark_of(key)) != 0) {
        for (const auto& [known, at] : node.keys) {
            if (known == key) {
                return &nodes_[at];
            }
        }
    }
    const bool begins = !node.beginning.empty() && key.starts_with(node.beginning);
    return begins ? &nodes_[node.beginning_child] : nullptr;
}

template <class View>
void FieldTable::walk(const View& view, const Node& node, FoundFields& found) const {
    if (node.field != nullptr && counts(view, *node.field) &&
        std::ranges::find(found, node.field) == found.end()) {
        found.push_back(node.field);
    }
    if (!node.keys.empty() || !node.beginning.empty()) {
        view.for_each_member([&](std::string_view key, const View& value) {
            if (const Node* below = child(node, key)) {
                walk(value, *below, found);
            }
        });
    }
    if (node.items != 0) {
        view.for_each_item([&](const View& item) { walk(item, nodes_[node.items], found); });
    }
}

void FieldTable::find(const JsonText& json, JsonText::Index object, FoundFields& found) const {
    walk(JsonView(json, object), nodes_.front(), found);
}

void FieldTable::find(const Value& object, FoundFields& found) const {
    walk(ValueView(object), nodes_.front(), found);
}

void FieldTable::keep(const Value& object, Value& kept) const {
    keep(object, kept, nodes_.front());
}

void FieldTable::keep(const Value& object, Value& kept, const Node& node) const {
    if (node.field != nullptr && counts(ValueView(object), *node.field)) {
        kept = object;
        return;
    }
    keep_members(object, kept, node);
    const bool beside = kept.items.size() == object.items.size();
    for (std::size_t i = 0; node.items != 0 && i < object.items.size(); ++i) {
        Value fresh;
        fresh.span = object.items[i].span;
        Value& item = beside ? kept.items[i] : fresh;
        keep(object.items[i], item, nodes_[node.items]);
        if (!beside && fresh.kind != Value::Kind::null) {
            kept.kind = Value::Kind::list;
            kept.items.push_back(std::move(fresh));
        }
    }
}

void FieldTable::keep_members(const Value& object, Value& kept, const Node& node) const {
    for (const core::Member& member : object.members) {
        const Node* below = child(node, member.key);
        if (below == nullptr) {
            continue;
        }
        if (Value* known = kept.find(member.key)) {
            keep(member.value, *known, *below);
            continue;
        }
        Value fresh;
        fresh.span = member.value.span;
        keep(member.value, fresh, *below);
        if (fresh.kind != Value::Kind::null) {
            kept.kind = Value::Kind::map;
            kept.members.push_back({member.key, member.key_span, std::move(fresh)});
        }
    }
}

void FieldCounts::count(const UnmodelledField& field, std::uint64_t more) {
    counts_[field.remedy][field.name()] += more;
}

void FieldCounts::count(const FoundFields& found, std::uint64_t more) {
    for (const UnmodelledField* field : found) {
        count(*field, more);
    }
}

std::vector<std::string> FieldCounts::lines(std::string_view object) const {
    std::vector<std::string> out;
    for (const auto& [remedy, counts] : counts_) {
        std::vector<std::pair<std::string_view, std::uint64_t>> fields(counts.begin(),
                                                                       counts.end());
        std::ranges::stable_sort(
            fields, std::greater(), [](const auto& field) { return field.second; });
        const std::string_view these = fields.size() == 1 ? "this" : "these";
        out.push_back(fmt::format(
            "{}: {}",
            counted(fields, object),
            !remedy.empty() ? std::string(remedy)
                            : fmt::format("a run does not go by {}; docs/reference/fields.md says "
                                          "what it goes by",
                                          these)));
    }
    return out;
}

}  // namespace berth::workloads
