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

const Json::object_t::value_type& member(const Json& map, std::size_t index) {
    const auto& members = map.get_ref<const Json::object_t&>();
    return *(members.begin() + static_cast<std::ptrdiff_t>(index));
}

/// The keys and indexes that lead to a value of a request, such as `pending[2].count`.
std::string path_to(const Json& value, const Json& request) {
    struct Open {
        const Json* value;
        std::size_t next = 0;
    };
    std::vector<Open> opened{{&request}};
    while (opened.back().value != &value) {
        Open& last = opened.back();
        if (!last.value->is_structured() || last.next == last.value->size()) {
            opened.pop_back();
            BERTH_ASSERT(!opened.empty(), "a value of a request is in it");
            continue;
        }
        const std::size_t next = last.next++;
        const Json& child =
            last.value->is_array() ? (*last.value)[next] : member(*last.value, next).second;
        opened.push_back({&child});
    }
    std::string path;
    for (const Open& open : std::span(opened).first(opened.size() - 1)) {
        const std::size_t index = open.next - 1;
        if (open.value->is_array()) {
            path += fmt::format("[{}]", index);
        } else {
            path += (path.empty() ? "" : ".") + member(*open.value, index).first;
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
    if (!at_->is_object()) {
        fail("a map");
    }
    const auto found = at_->find(key);
    if (found != at_->end()) {
        return {*this, *found};
    }
    RequestField below = *this;
    below.missing_[below.missing_count_++] = key;
    return below;
}

std::string RequestField::place() const {
    std::string place = path_to(*at_, *request_);
    for (const char* key : std::span(missing_).first(missing_count_)) {
        place += place.empty() ? key : fmt::format(".{}", key);
    }
    return place;
}

const Json& RequestField::json() const {
    if (!is_present()) {
        throw RequestError(fmt::format("no {}: expected one", place()));
    }
    return *at_;
}

void RequestField::fail(std::string_view expected) const {
    const std::string value = shown(json());
    const std::string where = place();
    throw RequestError(fmt::format(
        "{} is {}: expected {}", where.empty() ? "the request" : where, value, expected));
}

/// The value, with a number or a boolean in place of its text in a document.
Json RequestField::typed() const {
    if (scalars_ == Scalars::typed || !json().is_string()) {
        return json();
    }
    Json read = Json::parse(json().get_ref<const std::string&>(), nullptr, false);
    return read.is_number() || read.is_boolean() ? read : json();
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
    const Json value = typed();
    if (!value.is_boolean()) {
        fail("true or false");
    }
    return value.get<bool>();
}

std::int64_t RequestField::whole(std::int64_t least, std::int64_t most) const {
    const Json value = typed();
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)
                          : value.is_number_integer();
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
        fail(most < INT64_MAX    ? fmt::format("a whole number from {} to {}", least, most)
             : least > INT64_MIN ? fmt::format("a whole number of at least {}", least)
                                 : "a whole number of at most 2^63 - 1");
    }
    return value.get<std::int64_t>();
}

std::int64_t RequestField::whole_or(std::int64_t otherwise,
                                    std::int64_t least,
                                    std::int64_t most) const {
    return is_present() ? whole(least, most) : otherwise;
}

double RequestField::number(double least) const {
    const Json value = typed();
    if (!value.is_number() || value.get<double>() < least) {
        fail(fmt::format("a number of at least {}", least));
    }
    return value.get<double>();
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
        items.push_back({*this, (*at_)[i]});
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
    for (const auto& [key, value] : at_->get_ref<const Json::object_t&>()) {
        entries.emplace_back(key, RequestField(*this, value));
    }
    return entries;
}

}  // namespace berth::experiments
