#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/tree/ids.hpp"
#include "experiments/program/support/request_value.hpp"

namespace berth::experiments {

using Json = nlohmann::ordered_json;

/// A request line that cannot be answered; what() is the answer to the line.
struct RequestError : std::runtime_error {
    /// Characters 0, which would end the message, are replaced by spaces: a message may repeat
    /// parts of the request.
    explicit RequestError(std::string message);
};

/// The fault of a number such as 1e999, for messages.
inline constexpr std::string_view beyond_numbers = "has no room: expected at most 1.7e308";

/// A value in a message. Lists and maps may have any size, and are not repeated.
[[nodiscard]] std::string shown(const RequestValue& value);

/// What names a place in messages: a text, or a function that makes one if a message is needed.
template <class Where>
concept NamesPlace =
    std::convertible_to<const Where&, std::string_view> || std::invocable<const Where&>;

template <NamesPlace Where>
[[nodiscard]] std::string place_text(const Where& where) {
    if constexpr (std::invocable<const Where&>) {
        return where();
    } else {
        return std::string(std::string_view(where));
    }
}

/// Fields of a request. `where` names the place in messages.
/// Errors: RequestError if the field is absent or not of the requested kind.
[[nodiscard]] RequestValue need(const RequestValue& object,
                                const char* key,
                                std::string_view where);
[[noreturn]] void refuse_whole(const RequestValue& value, std::string_view where, core::Amount min);
[[nodiscard]] core::Amount whole(const RequestValue& value,
                                 const NamesPlace auto& where,
                                 core::Amount min) {
    const std::optional<core::Amount> number = value.whole();
    if (!number || *number < min) {
        refuse_whole(value, place_text(where), min);
    }
    return *number;
}
[[noreturn]] void refuse_text(const RequestValue& value, std::string_view where);
[[nodiscard]] std::string text(const RequestValue& value, const NamesPlace auto& where) {
    if (!value.is_string()) {
        refuse_text(value, place_text(where));
    }
    return std::string(value.text());
}
/// A text, which is empty if the key is absent or null.
[[nodiscard]] std::string optional_text(const RequestValue& object,
                                        const char* key,
                                        std::string_view where);
[[nodiscard]] bool boolean(const RequestValue& object, const char* key, bool otherwise);
/// The index of the choice among `names`; 0 if the key is absent.
[[nodiscard]] std::size_t choice(const RequestValue& object,
                                 const char* key,
                                 std::initializer_list<std::string_view> names);

/// A map of at most `count` values, by names that differ. Json's own operators would search for
/// each name, and copy all values each time that the map grows.
class NamedValues {
public:
    explicit NamedValues(std::size_t count) { values_.reserve(count); }
    void add(const std::string& name, Json value) { values_.emplace_back(name, std::move(value)); }
    [[nodiscard]] Json take() { return Json(std::move(values_)); }

private:
    Json::object_t values_;
};

/// Answers one line: with `answer` for the parsed request, or with `{"error": ...}`.
[[nodiscard]] std::string answer_line(std::string_view line,
                                      Json (*answer)(const RequestValue& request));
/// Does the same for an answer that is too large to be built as JSON first: `answer` returns its
/// text on one line.
[[nodiscard]] std::string answer_line(std::string_view line,
                                      std::string (*answer)(const RequestValue& request));

}  // namespace berth::experiments
