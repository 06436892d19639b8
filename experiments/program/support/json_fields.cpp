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

std::string shown(const Json& value) {
    return value.is_array() ? "a list" : value.is_object() ? "a map" : dumped(value);
}

const Json& need(const Json& object, const char* key, std::string_view where) {
    if (!object.is_object() || !object.contains(key)) {
        throw RequestError(fmt::format("{} has no '{}': expected one", where, key));
    }
    return object.at(key);
}

core::Amount whole(const Json& value, std::string_view where, core::Amount min) {
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)
                          : value.is_number_integer();
    if (!fits || value.get<core::Amount>() < min) {
        throw RequestError(
            min == INT64_MIN ? fmt::format("{} is {}: expected a whole number", where, shown(value))
                             : fmt::format("{} is {}: expected a whole number of at least {}",
                                           where,
                                           shown(value),
                                           min));
    }
    return value.get<core::Amount>();
}

std::string text(const Json& value, std::string_view where) {
    if (!value.is_string()) {
        throw RequestError(fmt::format("{} is {}: expected a text", where, shown(value)));
    }
    return value.get<std::string>();
}

std::string optional_text(const Json& object, const char* key, std::string_view where) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null()
               ? ""
               : text(*found, fmt::format("{} of {}", key, where));
}

bool boolean(const Json& object, const char* key, bool otherwise) {
    if (!object.contains(key) || object.at(key).is_null()) {
        return otherwise;
    }
    if (!object.at(key).is_boolean()) {
        throw RequestError(
            fmt::format("{} is {}: expected true or false", key, shown(object.at(key))));
    }
    return object.at(key).get<bool>();
}

std::size_t choice(const Json& object, const char* key, const std::vector<std::string>& names) {
    if (!object.contains(key)) {
        return 0;
    }
    const auto at = std::ranges::find(names, text(object.at(key), key));
    if (at == names.end()) {
        throw RequestError(fmt::format(
            "{} is {}: expected {}", key, shown(object.at(key)), core::join(names, " or ")));
    }
    return static_cast<std::size_t>(at - names.begin());
}

namespace {

template <class Answer>
std::string answered(std::string_view line, const Answer& answer) {
    std::string error;
    try {
        const Json request = parsed_json(line);
        if (!request.is_object()) {
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

std::string answer_line(std::string_view line, Json (*answer)(const Json& request)) {
    return answered(line, [&](const Json& request) { return dumped(answer(request)); });
}

std::string answer_line(std::string_view line, std::string (*answer)(const Json& request)) {
    return answered(line, answer);
}

}  // namespace berth::experiments
