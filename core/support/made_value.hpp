#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/support/value.hpp"

namespace berth::core {

/// Values that are made and not read, with the place that messages about them show.
[[nodiscard]] inline Value text_value(std::string_view text, const SourceSpan& span) {
    return {Value::Kind::scalar, std::string(text), {}, {}, span};
}
[[nodiscard]] inline Value list_value(const SourceSpan& span) {
    return {Value::Kind::list, {}, {}, {}, span};
}
[[nodiscard]] inline Value map_value(const SourceSpan& span) {
    return {Value::Kind::map, {}, {}, {}, span};
}

/// Sets a member of a map where the key stands or, if the map does not have it, at the end.
inline void set_member(Value& map, const std::string& key, Value value) {
    if (Value* known = map.find(key)) {
        *known = std::move(value);
        return;
    }
    const SourceSpan span = value.span;
    map.members.push_back({key, span, std::move(value)});
}

}  // namespace berth::core
