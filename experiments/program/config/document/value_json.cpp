#include "experiments/program/config/document/value_json.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace berth::experiments {

using core::Value;

Json json_of(const Value& value) {
    switch (value.kind) {
        case Value::Kind::null:
            return nullptr;
        case Value::Kind::scalar:
            return value.text;
        case Value::Kind::list: {
            Json list = Json::array();
            for (const Value& item : value.items) {
                list.push_back(json_of(item));
            }
            return list;
        }
        case Value::Kind::map:
            break;
    }
    NamedValues members(value.members.size());
    for (const core::Member& member : value.members) {
        members.add(member.key, json_of(member.value));
    }
    return members.take();
}

const Value& value_at(const Value& document, std::string_view place) {
    const Value* at = &document;
    while (!place.empty()) {
        const Value* next = nullptr;
        if (place.front() == '[') {
            std::size_t index = 0;
            std::from_chars(place.data() + 1, place.data() + place.size(), index);
            next = index < at->items.size() ? &at->items[index] : nullptr;
            place.remove_prefix(std::min(place.find(']') + 1, place.size()));
        } else {
            // A key may have dots in it, as those of labels do.
            for (const core::Member& member : at->members) {
                if (place.starts_with(member.key) &&
                    (place.size() == member.key.size() || place[member.key.size()] == '.' ||
                     place[member.key.size()] == '[')) {
                    next = &member.value;
                    place.remove_prefix(member.key.size());
                    break;
                }
            }
        }
        if (next == nullptr) {
            break;
        }
        at = next;
        if (!place.empty() && place.front() == '.') {
            place.remove_prefix(1);
        }
    }
    return *at;
}

}  // namespace berth::experiments
