#include "experiments/program/support/request_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/support/parse_number.hpp"
#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/plain_text.hpp"

namespace berth::experiments {

using core::JsonText;

std::optional<bool> RequestValue::boolean() const {
    return is_boolean() ? std::optional(text() == "true") : std::nullopt;
}

std::optional<std::int64_t> RequestValue::whole() const {
    return is_number() ? core::parse_number<std::int64_t>(text()) : std::nullopt;
}

std::optional<double> RequestValue::number() const {
    return is_number() ? core::parse_number<double>(text()) : std::nullopt;
}

bool RequestValue::is_whole() const {
    return is_number() && (core::parse_number<std::int64_t>(text()).has_value() ||
                           core::parse_number<std::uint64_t>(text()).has_value());
}

Json RequestValue::json() const {
    if (text_ == nullptr) {
        return nullptr;
    }
    return parsed_json(text_->written(at_));
}

std::size_t RequestValue::size() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const RequestValue& item : items()) {
        ++count;
    }
    for ([[maybe_unused]] const Member& member : members()) {
        ++count;
    }
    return count;
}

RequestValue RequestValue::item(std::size_t index) const {
    auto item = items().begin();
    for (std::size_t i = 0; i < index; ++i) {
        ++item;
    }
    return *item;
}

namespace {

constexpr std::size_t levels_max = 1'000;

/// Finds out whether what a JsonText reads is what nlohmann's parser reads.
class SimpleText {
public:
    explicit SimpleText(const JsonText& text) : text_(text) {}

    bool is_simple() {
        for (JsonText::Index at = 0; at < text_.behind(JsonText::root()); ++at) {
            if (!is_simple(at)) {
                return false;
            }
        }
        return true;
    }

private:
    bool is_simple(JsonText::Index at) {
        switch (text_.kind(at)) {
            case JsonText::Kind::map:
                return keys_are_distinct(at);
            case JsonText::Kind::string:  // half of a surrogate pair is no character
                return !text_.has_escapes(at) ||
                       text_.written(at).find("\\u") == std::string_view::npos;
            case JsonText::Kind::number: {  // a double may have no room for it
                constexpr std::size_t short_number = 300;
                return text_.length(at) <= short_number &&
                       text_.text(at).find_first_of("eE") == std::string_view::npos;
            }
            default:
                return true;
        }
    }

    bool keys_are_distinct(JsonText::Index map) {
        keys_.clear();
        for (JsonText::Index key = map + 1; key < text_.behind(map); key = text_.behind(key + 1)) {
            if (text_.has_escapes(key)) {
                return false;
            }
            keys_.push_back(text_.text(key));
        }
        std::ranges::sort(keys_);
        return std::ranges::adjacent_find(keys_) == keys_.end();
    }

    const JsonText& text_;
    std::vector<std::string_view> keys_;
};

[[noreturn]] void refuse_levels() {
    throw RequestError(
        fmt::format("a request: expected a JSON object of at most {} levels", levels_max));
}

}  // namespace

RequestText::RequestText(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    if (parsed_.parse(text, levels_max)) {
        static_cast<void>(parsed_json(text));  // tells where it is no JSON
        refuse_levels();
    }
    if (broken_utf8(text) || !SimpleText(parsed_).is_simple()) {
        parse_again(dumped(parsed_json(text)));
    }
}

RequestText::RequestText(const Json& value) {
    parse_again(dumped(value));
}

void RequestText::parse_again(std::string text) {
    written_again_ = std::move(text);
    if (parsed_.parse(written_again_, levels_max)) {
        refuse_levels();
    }
}

}  // namespace berth::experiments
