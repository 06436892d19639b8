#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::experiments {

using Json = nlohmann::ordered_json;

/// A request line that cannot be answered; what() is the line's answer.
struct RequestError : std::runtime_error {
    /// What a message repeats may have characters 0, which would end it: they become spaces.
    explicit RequestError(std::string message);
};

/// What is wrong with a number such as 1e999, for messages.
inline constexpr std::string_view beyond_numbers = "has no room: expected at most 1.7e308";

/// A value in a message: a list or a map may be of any size, and is not repeated.
[[nodiscard]] std::string shown(const Json& value);

/// Fields of a request. `where` names the place in messages.
/// Errors: RequestError when the field is absent or is not of the kind asked for.
[[nodiscard]] const Json& need(const Json& object, const char* key, std::string_view where);
[[nodiscard]] core::Amount whole(const Json& value, std::string_view where, core::Amount min);
[[nodiscard]] std::string text(const Json& value, std::string_view where);
/// A text that is empty where the key is absent or null.
[[nodiscard]] std::string optional_text(const Json& object,
                                        const char* key,
                                        std::string_view where);
[[nodiscard]] bool boolean(const Json& object, const char* key, bool otherwise);
/// A choice among names; the first is taken when the key is absent.
[[nodiscard]] std::size_t choice(const Json& object,
                                 const char* key,
                                 const std::vector<std::string>& names);

/// Answers one line: `answer` of the parsed request, or `{"error": ...}`.
[[nodiscard]] std::string answer_line(std::string_view line, Json (*answer)(const Json& request));
/// The same for an answer that is too large to be put together first: its text on one line.
[[nodiscard]] std::string answer_line(std::string_view line,
                                      std::string (*answer)(const Json& request));
/// A value as the text that answers are made of: on one line, broken UTF-8 replaced.
[[nodiscard]] std::string dumped(const Json& value);

}  // namespace berth::experiments
