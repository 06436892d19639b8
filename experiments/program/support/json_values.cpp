#include "experiments/program/support/json_values.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "experiments/program/support/yaml_values.hpp"

namespace berth::experiments {
namespace {

using core::JsonText;
using core::SourceSpan;
using core::Value;

const std::vector<WantedKeys> everything;

/// Whether a text has only bytes below DEL. It works in blocks of a constant length, so that the
/// compiler can compare many bytes at once.
bool is_ascii(std::string_view text) {
    constexpr std::size_t block = 64;
    constexpr unsigned char del = 0x7F;
    for (; text.size() >= block; text.remove_prefix(block)) {
        std::array<unsigned char, block> bytes{};
        std::memcpy(bytes.data(), text.data(), block);
        unsigned char most = 0;
        for (const unsigned char byte : bytes) {
            most = std::max(most, byte);
        }
        if (most >= del) {
            return false;
        }
    }
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= del; });
}

}  // namespace

JsonValues::JsonValues(std::shared_ptr<const core::SourceText> source,
                       const JsonText& json,
                       std::string_view text,
                       int line,
                       int column)
    : source_(std::move(source)),
      json_(json),
      text_(text),
      ascii_(is_ascii(text)),
      begin_{0, line, column},
      last_(begin_) {}

Value JsonValues::value(const Wanted& wanted) {
    Value out;
    fill(out, JsonText::root(), wanted);
    return out;
}

void JsonValues::fill(Value& out, Index at, const Wanted& wanted) {
    const JsonText::Kind kind = json_.kind(at);
    if (kind == JsonText::Kind::map) {
        fill_map(out, at, wanted);
        return;
    }
    if (kind == JsonText::Kind::list) {
        out.kind = Value::Kind::list;
        out.span = span(at, 1);
        std::size_t count = 0;
        for (auto child = json_.first(at); child; child = json_.next(at, *child)) {
            ++count;
        }
        out.items.reserve(count);
        for (auto child = json_.first(at); child; child = json_.next(at, *child)) {
            fill(out.items.emplace_back(), *child, everything);
        }
        return;
    }
    out.span = span(at, json_.length(at));
    if (kind != JsonText::Kind::null) {
        out.kind = Value::Kind::scalar;
        out.text = text(at, out.span);
    }
}

void JsonValues::fill_map(Value& out, Index at, const Wanted& wanted) {
    out.kind = Value::Kind::map;
    out.span = span(at, 1);
    std::size_t count = 0;
    for (auto child = json_.first(at); child; child = json_.next(at, *child)) {
        ++count;
    }
    out.members.reserve(wanted.empty() ? count : std::min(count, wanted.size()));
    for (auto key = json_.first(at); key; key = json_.next(at, *key)) {
        const std::string_view name = json_.text(*key);
        const auto named =
            std::ranges::find_if(wanted, [&](const WantedKeys& keys) { return keys.is_for(name); });
        if (!wanted.empty() && named == wanted.end()) {
            check(*key);
            check(*key + 1);
            continue;
        }
        core::Member& member = out.members.emplace_back();
        member.key_span = span(*key, json_.length(*key));
        member.key = text(*key, member.key_span);
        fill(member.value, *key + 1, wanted.empty() ? everything : named->below);
    }
    check_keys(at);
}

std::string_view JsonValues::text(Index at, const SourceSpan& span) const {
    const std::string_view text = json_.text(at);
    if (!ascii_ || json_.has_escapes(at)) {
        reject_unwritable_text(text, span);
    }
    return text;
}

void JsonValues::check(Index at) {
    for (const Index end = json_.behind(at); at < end; ++at) {
        if (json_.kind(at) == JsonText::Kind::map) {
            check_keys(at);
        } else if (!ascii_ || json_.has_escapes(at)) {
            reject_unwritable_text(json_.text(at), span(at, json_.length(at)));
        }
    }
}

void JsonValues::check_keys(Index map) {
    if (!keys_may_repeat(map)) {
        return;
    }
    Value keys;
    for (auto key = json_.first(map); key; key = json_.next(map, *key)) {
        keys.members.push_back(
            {std::string(json_.text(*key)), span(*key, json_.length(*key)), Value()});
    }
    reject_duplicate_keys(keys);
}

/// Whether keys of a map may be equal. Most maps have few keys, which are written without escapes:
/// these are compared as they are written.
bool JsonValues::keys_may_repeat(Index map) {
    constexpr std::size_t few = 32;
    keys_.clear();
    for (auto key = json_.first(map); key; key = json_.next(map, *key)) {
        if (json_.has_escapes(*key)) {
            return true;
        }
        keys_.push_back(json_.text(*key));
    }
    if (keys_.size() > few) {
        std::ranges::sort(keys_);
        return std::ranges::adjacent_find(keys_) != keys_.end();
    }
    for (std::size_t i = 1; i < keys_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (keys_[i] == keys_[j]) {
                return true;
            }
        }
    }
    return false;
}

SourceSpan JsonValues::span(Index at, std::size_t length) {
    const std::size_t begin = json_.begin(at);
    Place& place = last_;
    if (begin < place.at) {
        place = begin_;
    }
    const std::string_view between = text_.substr(place.at, begin - place.at);
    std::size_t after_break = 0;  // offset in `between`
    for (std::size_t found = between.find('\n'); found != between.npos;
         found = between.find('\n', after_break)) {
        ++place.line;
        place.column = 1;
        after_break = found + 1;
    }
    place.column += static_cast<int>(between.size() - after_break);
    place.at = begin;
    return {source_, place.line, place.column, static_cast<int>(length)};
}

}  // namespace berth::experiments
