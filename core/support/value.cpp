#include "core/support/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/support/parse_number.hpp"
#include "core/support/quantity_hint.hpp"

namespace berth::core {
namespace {

bool may_show(const SourceSpan& span) {
    return span.source == nullptr || span.source->may_be_shown;
}

const Value empty_map{Value::Kind::map, {}, {}, {}, {}};

std::string described(const Value& value) {
    switch (value.kind) {
        case Value::Kind::null:
            return "nothing";
        case Value::Kind::list:
            return value.items.empty() ? "an empty list" : "a list";
        case Value::Kind::map:
            return value.members.empty() ? "an empty map" : "a map";
        case Value::Kind::scalar:
            break;
    }
    return may_show(value.span) ? fmt::format("'{}'", value.text) : "a text";
}

template <class Number>
std::optional<Number> parsed_whole(std::string_view text) {
    return parse_number<Number>(text.starts_with('+') ? text.substr(1) : text);
}

}  // namespace

const Value* Value::find(std::string_view key) const {
    const auto at = std::ranges::find(members, key, &Member::key);
    return at == members.end() ? nullptr : &at->value;
}

Value* Value::find(std::string_view key) {
    const auto at = std::ranges::find(members, key, &Member::key);
    return at == members.end() ? nullptr : &at->value;
}

void expected(const Value& value, std::string_view what, Diagnostics& diagnostics) {
    diagnostics.error(value.span, fmt::format("found {}: expected {}", described(value), what));
}

std::string alternatives(const std::vector<std::string>& choices) {
    std::vector<std::string_view> each;  // each choice once
    for (const std::string& choice : choices) {
        if (std::ranges::find(each, choice) == each.end()) {
            each.emplace_back(choice);
        }
    }
    std::string out;
    for (std::size_t i = 0; i < each.size(); ++i) {
        out += i == 0 ? "" : i + 1 == each.size() ? " or " : ", ";
        out += each[i];
    }
    return out;
}

std::optional<std::string> read_text(const Value& value, Diagnostics& diagnostics) {
    if (!value.is_scalar()) {
        expected(value, "a text", diagnostics);
        return std::nullopt;
    }
    return value.text;
}

std::optional<std::int64_t> read_integer(const Value& value,
                                         Diagnostics& diagnostics,
                                         std::int64_t min,
                                         std::int64_t max) {
    const auto number =
        value.is_scalar() ? parsed_whole<std::int64_t>(value.text) : std::optional<std::int64_t>();
    if (!number || *number < min || *number > max) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const bool is_large = value.is_scalar() && !value.text.empty() && !number &&
                              std::ranges::all_of(value.text, is_digit);
        const std::string range = max == INT64_MAX && !is_large
                                      ? fmt::format("a whole number of at least {}", min)
                                      : fmt::format("a whole number from {} to {}", min, max);
        expected(value, range + comma_hint(value.text, true), diagnostics);
        return std::nullopt;
    }
    return number;
}

std::optional<double> read_number(const Value& value,
                                  Diagnostics& diagnostics,
                                  double min,
                                  double max) {
    const auto number =
        value.is_scalar() ? parsed_whole<double>(value.text) : std::optional<double>();
    if (!number || !std::isfinite(*number) || *number < min || *number > max) {
        const std::string range = std::isinf(max) && std::isinf(min) ? "a number"
                                  : std::isinf(max)
                                      ? fmt::format("a number of at least {}", min)
                                      : fmt::format("a number from {} to {}", min, max);
        expected(value, range + comma_hint(value.text), diagnostics);
        return std::nullopt;
    }
    return number;
}

std::optional<bool> read_boolean(const Value& value, Diagnostics& diagnostics) {
    if (value.is_scalar() && (value.text == "true" || value.text == "false")) {
        return value.text == "true";
    }
    expected(value, "true or false", diagnostics);
    return std::nullopt;
}

MapReader::MapReader(const Value& map, std::string what, Diagnostics& diagnostics)
    : map_(map.is_map() ? map : empty_map), what_(std::move(what)), diagnostics_(diagnostics) {
    if (!map.is_map()) {
        diagnostics_.error(
            map.span,
            fmt::format("{} is {}: expected a map of keys and values", what_, described(map)));
    }
}

const Value* MapReader::take(const std::string& key) {
    if (std::ranges::find(asked_, key) == asked_.end()) {
        asked_.push_back(key);
    }
    const Value* value = map_.find(key);
    return value == nullptr || value->kind == Value::Kind::null ? nullptr : value;
}

const Value* MapReader::need(const std::string& key) {
    const Value* value = take(key);
    if (value == nullptr && &map_ != &empty_map) {
        diagnostics_.error(map_.span, fmt::format("{} has no '{}': expected one", what_, key));
    }
    return value;
}

std::string MapReader::text(const std::string& key, std::string_view otherwise) {
    const Value* value = take(key);
    const auto read = value ? read_text(*value, diagnostics_) : std::nullopt;
    return read.value_or(std::string(otherwise));
}

std::int64_t MapReader::integer(const std::string& key,
                                std::int64_t otherwise,
                                std::int64_t min,
                                std::int64_t max) {
    const Value* value = take(key);
    return value ? read_integer(*value, diagnostics_, min, max).value_or(otherwise) : otherwise;
}

double MapReader::number(const std::string& key, double otherwise, double min, double max) {
    const Value* value = take(key);
    return value ? read_number(*value, diagnostics_, min, max).value_or(otherwise) : otherwise;
}

bool MapReader::boolean(const std::string& key, bool otherwise) {
    const Value* value = take(key);
    return value ? read_boolean(*value, diagnostics_).value_or(otherwise) : otherwise;
}

std::size_t MapReader::choice(const std::string& key,
                              const std::vector<std::string>& choices,
                              std::size_t otherwise) {
    const Value* value = take(key);
    if (value == nullptr) {
        return otherwise;
    }
    const auto at = std::ranges::find(choices, value->text);
    if (!value->is_scalar() || at == choices.end()) {
        diagnostics_.error(value->span,
                           fmt::format("unknown {} {}: expected {}{}",
                                       key,
                                       described(*value),
                                       alternatives(choices),
                                       suggestion(value->text, choices)));
        return otherwise;
    }
    return static_cast<std::size_t>(at - choices.begin());
}

void MapReader::report_unknown_keys() {
    for (std::size_t i = 0; i < map_.members.size(); ++i) {
        const Member& member = map_.members[i];
        if (std::ranges::find(asked_, member.key) == asked_.end()) {
            const bool shows = may_show(member.key_span);
            diagnostics_.error(member.key_span,
                               fmt::format("unknown key{} in {}: expected {}{}",
                                           shows ? fmt::format(" '{}'", member.key) : "",
                                           what_,
                                           alternatives(asked_),
                                           shows ? suggestion(member.key, asked_) : ""));
        }
    }
}

}  // namespace berth::core
