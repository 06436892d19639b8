#include "workloads/trace/placed_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"

namespace berth::workloads {

PlacedJson::PlacedJson(const core::Value& value) {
    add(value);
}

const core::SourceSpan& PlacedJson::place_of(std::size_t begin) const {
    const auto behind = std::ranges::upper_bound(
        places_, begin, {}, &std::pair<std::size_t, core::SourceSpan>::first);
    BERTH_ASSERT(behind != places_.begin(), "the first value begins with the text");
    return std::prev(behind)->second;
}

void PlacedJson::add(const core::Value& value) {
    places_.emplace_back(text_.size(), value.span);
    switch (value.kind) {
        case core::Value::Kind::null:
            text_ += "null";
            return;
        case core::Value::Kind::scalar:
            add_string(value.text);
            return;
        case core::Value::Kind::list:
            text_ += '[';
            for (const core::Value& item : value.items) {
                text_ += &item == &value.items.front() ? "" : ",";
                add(item);
            }
            text_ += ']';
            return;
        case core::Value::Kind::map:
            text_ += '{';
            for (const core::Member& member : value.members) {
                text_ += &member == &value.members.front() ? "" : ",";
                add_string(member.key);
                text_ += ':';
                add(member.value);
            }
            text_ += '}';
            return;
    }
}

void PlacedJson::add_string(const std::string& text) {
    text_ += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (byte < 0x20) {
            fmt::format_to(std::back_inserter(text_), "\\u{:04x}", byte);
        } else {
            text_ += c;
        }
    }
    text_ += '"';
}

}  // namespace berth::workloads
