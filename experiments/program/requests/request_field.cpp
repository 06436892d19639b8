#include "experiments/program/requests/request_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/text.hpp"
#include "core/tree/resources.hpp"

namespace berth::experiments {

RequestField::RequestField(const Json* value, std::string place)
    : value_(value != nullptr && value->is_null() ? nullptr : value), place_(std::move(place)) {}

RequestField RequestField::operator[](const char* key) const {
    std::string place = place_.empty() ? key : fmt::format("{}.{}", place_, key);
    if (value_ == nullptr) {
        return {nullptr, std::move(place)};
    }
    if (!value_->is_object()) {
        fail("a map");
    }
    const auto found = value_->find(key);
    return {found == value_->end() ? nullptr : &*found, std::move(place)};
}

const Json& RequestField::json() const {
    if (value_ == nullptr) {
        throw RequestError(fmt::format("no {}: expected one", place_));
    }
    return *value_;
}

void RequestField::fail(std::string_view expected) const {
    throw RequestError(fmt::format(
        "{} is {}: expected {}", place_.empty() ? "the request" : place_, shown(json()), expected));
}

std::string RequestField::text() const {
    if (!json().is_string()) {
        fail("a text");
    }
    return json().get<std::string>();
}

std::string RequestField::text_or(std::string_view otherwise) const {
    return is_present() ? text() : std::string(otherwise);
}

bool RequestField::boolean_or(bool otherwise) const {
    if (!is_present()) {
        return otherwise;
    }
    if (!json().is_boolean()) {
        fail("true or false");
    }
    return json().get<bool>();
}

std::int64_t RequestField::whole(std::int64_t least, std::int64_t most) const {
    const bool fits = json().is_number_unsigned()
                          ? json().get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)
                          : json().is_number_integer();
    if (!fits || json().get<std::int64_t>() < least || json().get<std::int64_t>() > most) {
        fail(most < INT64_MAX    ? fmt::format("a whole number from {} to {}", least, most)
             : least > INT64_MIN ? fmt::format("a whole number of at least {}", least)
                                 : "a whole number of at most 2^63 - 1");
    }
    return json().get<std::int64_t>();
}

std::int64_t RequestField::whole_or(std::int64_t otherwise,
                                    std::int64_t least,
                                    std::int64_t most) const {
    return is_present() ? whole(least, most) : otherwise;
}

double RequestField::number(double least) const {
    if (!json().is_number() || json().get<double>() < least) {
        fail(fmt::format("a number of at least {}", least));
    }
    return json().get<double>();
}

std::size_t RequestField::choice(const std::vector<std::string>& names) const {
    const auto found = std::ranges::find(names, text());
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
    if (!json().is_array()) {
        fail("a list");
    }
    for (std::size_t i = 0; i < json().size(); ++i) {
        items.push_back({&json()[i], fmt::format("{}[{}]", place_, i)});
    }
    return items;
}

std::vector<std::pair<std::string, RequestField>> RequestField::entries() const {
    std::vector<std::pair<std::string, RequestField>> entries;
    if (!is_present()) {
        return entries;
    }
    if (!json().is_object()) {
        fail("a map");
    }
    for (const auto& [key, value] : json().items()) {
        entries.emplace_back(key, RequestField(&value, fmt::format("{}.{}", place_, key)));
    }
    return entries;
}

}  // namespace berth::experiments
