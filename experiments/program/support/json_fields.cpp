#include "experiments/program/support/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/support/text.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {

namespace {

std::string without_zeros(std::string message) {
    std::ranges::replace(message, '\0', ' ');
    return message;
}

}  // namespace

RequestError::RequestError(std::string message)
    : std::runtime_error(without_zeros(std::move(message))) {}

std::string shown(const RequestValue& value) {
    return value.is_list() ? "a list" : value.is_map() ? "a map" : dumped(value.json());
}

RequestValue need(const RequestValue& object, const char* key, std::string_view where) {
    const auto found = object.find(key);
    if (!found) {
        throw RequestError(fmt::format("{} has no '{}': expected one", where, key));
    }
    return *found;
}

void refuse_whole(const RequestValue& value, std::string_view where, core::Amount min) {
    throw RequestError(
        min == INT64_MIN
            ? fmt::format("{} is {}: expected a whole number", where, shown(value))
            : fmt::format(
                  "{} is {}: expected a whole number of at least {}", where, shown(value), min));
}

void refuse_text(const RequestValue& value, std::string_view where) {
    throw RequestError(fmt::format("{} is {}: expected a text", where, shown(value)));
}

std::string optional_text(const RequestValue& object, const char* key, std::string_view where) {
    const RequestValue value = object[key];
    return value.is_null() ? "" : text(value, [&] { return fmt::format("{} of {}", key, where); });
}

bool boolean(const RequestValue& object, const char* key, bool otherwise) {
    const RequestValue value = object[key];
    if (value.is_null()) {
        return otherwise;
    }
    if (!value.is_boolean()) {
        throw RequestError(fmt::format("{} is {}: expected true or false", key, shown(value)));
    }
    return *value.boolean();
}

std::size_t choice(const RequestValue& object,
                   const char* key,
                   std::initializer_list<std::string_view> names) {
    const auto value = object.find(key);
    if (!value) {
        return 0;
    }
    if (!value->is_string()) {
        refuse_text(*value, key);
    }
    const auto* const at = std::ranges::find(names, value->text());
    if (at == names.end()) {
        throw RequestError(
            fmt::format("{} is {}: expected {}", key, shown(*value), core::join(names, " or ")));
    }
    return static_cast<std::size_t>(at - names.begin());
}

namespace {

template <class Answer>
std::string answered(std::string_view line, const Answer& answer) {
    std::string error;
    try {
        const RequestText text(line);
        const RequestValue request = text.value();
        if (!request.is_map()) {
            throw RequestError("a request: expected a JSON object");
        }
        return answer(request);
    } catch (const Json::parse_error& fault) {
        error = fmt::format("no JSON at byte {}: expected an object", fault.byte);
    } catch (const Json::out_of_range&) {
        error = fmt::format("a number {}", beyond_numbers);
    } catch (const std::bad_alloc&) {
        error = "out of memory: expected a smaller request";
    } catch (const Json::exception&) {
        error = "a value of another kind: expected one of the kind that the reference says";
    } catch (const std::runtime_error& fault) {
        error = fault.what();
    }
    return dumped({{"error", error}});
}

}  // namespace

std::string answer_line(std::string_view line, Json (*answer)(const RequestValue& request)) {
    return answered(line, [&](const RequestValue& request) { return dumped(answer(request)); });
}

std::string answer_line(std::string_view line, std::string (*answer)(const RequestValue& request)) {
    return answered(line, answer);
}

}  // namespace berth::experiments
