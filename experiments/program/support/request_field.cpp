#include "experiments/program/support/request_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"
#include "core/tree/resources.hpp"

namespace berth::experiments {

namespace {

/// The keys and indexes that lead to a value of a request, such as `pending[2].count`. Values are
/// numbered in the order of the text: one is inside another one if its number is.
std::string path_to(RequestValue::Index value, RequestValue above) {
    std::string path;
    const auto descend = [&](auto below, const auto& step) {
        std::size_t index = 0;
        auto last = below.begin();
        for (auto at = below.begin(); at != below.end() && at.index() <= value; ++at) {
            last = at;
            ++index;
        }
        step(*last, index - 1);
    };
    while (above.index() != value) {
        if (above.is_list()) {
            descend(above.items(), [&](const RequestValue& item, std::size_t index) {
                path += fmt::format("[{}]", index);
                above = item;
            });
        } else {
            descend(above.members(), [&](const RequestValue::Member& member, std::size_t) {
                path += (path.empty() ? "" : ".") + member.key;
                above = member.value;
            });
        }
    }
    return path;
}

}  // namespace

RequestField RequestField::operator[](const char* key) const {
    if (!is_present()) {
        RequestField below = *this;
        BERTH_ASSERT(missing_count_ < missing_.size(), "keys that are not there are few");
        below.missing_[below.missing_count_++] = key;
        return below;
    }
    if (!at_.is_map()) {
        fail("a map");
    }
    if (const auto found = at_.find(key)) {
        return {*this, *found};
    }
    RequestField below = *this;
    below.missing_[below.missing_count_++] = key;
    return below;
}

std::string RequestField::place() const {
    std::string place = path_to(at_.index(), request_);
    for (const char* key : std::span(missing_).first(missing_count_)) {
        place += place.empty() ? key : fmt::format(".{}", key);
    }
    return place;
}

const RequestValue& RequestField::value() const {
    if (!is_present()) {
        throw RequestError(fmt::format("no {}: expected one", place()));
    }
    return at_;
}

void RequestField::fail(std::string_view expected) const {
    const std::string written = shown(value());
    const std::string where = place();
    throw RequestError(fmt::format(
        "{} is {}: expected {}", where.empty() ? "the request" : where, written, expected));
}

/// Reads the value; in a document, the number or boolean that its text is.
template <class Read>
auto RequestField::typed(Read read) const {
    core::JsonText parsed;
    if (scalars_ == Scalars::texts && value().is_string() && !parsed.parse(value().text())) {
        return read(RequestValue(parsed, core::JsonText::root()));
    }
    return read(value());
}

std::string RequestField::text() const {
    if (!value().is_string()) {
        fail("a text");
    }
    return std::string(at_.text());
}

std::string RequestField::text_or(std::string_view otherwise) const {
    return is_present() ? text() : std::string(otherwise);
}

bool RequestField::boolean_or(bool otherwise) const {
    if (!is_present()) {
        return otherwise;
    }
    const auto read = typed([](const RequestValue& value) { return value.boolean(); });
    if (!read) {
        fail("true or false");
    }
    return *read;
}

std::int64_t RequestField::whole(std::int64_t least, std::int64_t most) const {
    const auto read = typed([](const RequestValue& value) { return value.whole(); });
    if (!read || *read < least || *read > most) {
        fail(most < INT64_MAX    ? fmt::format("a whole number from {} to {}", least, most)
             : least > INT64_MIN ? fmt::format("a whole number of at least {}", least)
                                 : "a whole number of at most 2^63 - 1");
    }
    return *read;
}

std::int64_t RequestField::whole_or(std::int64_t otherwise,
                                    std::int64_t least,
                                    std::int64_t most) const {
    return is_present() ? whole(least, most) : otherwise;
}

double RequestField::number(double least) const {
    const auto read = typed([](const RequestValue& value) { return value.number(); });
    if (!read || *read < least) {
        fail(fmt::format("a number of at least {}", least));
    }
    return *read;
}

std::size_t RequestField::choice(std::initializer_list<std::string_view> names) const {
    if (!value().is_string()) {
        fail("a text");
    }
    const auto* const found = std::ranges::find(names, at_.text());
    if (found == names.end()) {
        fail(core::join(names, " or "));
    }
    return static_cast<std::size_t>(found - names.begin());
}

core::Labels RequestField::labels() const {
    core::Labels labels;
    for (const auto& [key, value] : entries()) {
        labels[key] = value.text();
    }
    return labels;
}

std::vector<std::string> RequestField::texts() const {
    std::vector<std::string> texts;
    for (const RequestField& item : items()) {
        texts.push_back(item.text());
    }
    return texts;
}

std::vector<RequestField> RequestField::items() const {
    std::vector<RequestField> items;
    if (!is_present()) {
        return items;
    }
    if (!at_.is_list()) {
        fail("a list");
    }
    for (const RequestValue& item : at_.items()) {
        items.push_back({*this, item});
    }
    return items;
}

std::vector<std::pair<std::string, RequestField>> RequestField::entries() const {
    std::vector<std::pair<std::string, RequestField>> entries;
    if (!is_present()) {
        return entries;
    }
    if (!at_.is_map()) {
        fail("a map");
    }
    for (auto [key, value] : at_.members()) {
        entries.emplace_back(std::move(key), RequestField(*this, value));
    }
    return entries;
}

}  // namespace berth::experiments
