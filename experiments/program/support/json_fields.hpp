#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"

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
[[nodiscard]] std::string shown(const Json& value);

/// Fields of a request. `where` names the place in messages.
/// Errors: RequestError if the field is absent or not of the requested kind.
[[nodiscard]] const Json& need(const Json& object, const char* key, std::string_view where);
[[nodiscard]] core::Amount whole(const Json& value, std::string_view where, core::Amount min);
[[nodiscard]] std::string text(const Json& value, std::string_view where);
/// A text, which is empty if the key is absent or null.
[[nodiscard]] std::string optional_text(const Json& object,
                                        const char* key,
                                        std::string_view where);
[[nodiscard]] bool boolean(const Json& object, const char* key, bool otherwise);
/// The index of the choice among `names`; 0 if the key is absent.
[[nodiscard]] std::size_t choice(const Json& object,
                                 const char* key,
                                 const std::vector<std::string>& names);

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
[[nodiscard]] std::string answer_line(std::string_view line, Json (*answer)(const Json& request));
/// Does the same for an answer that is too large to be built as JSON first: `answer` returns its
/// text on one line.
[[nodiscard]] std::string answer_line(std::string_view line,
                                      std::string (*answer)(const Json& request));

}  // namespace berth::experiments
