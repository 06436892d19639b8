#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace berth::experiments {

/// nlohmann's parser and serializer are templates, and were a twentieth of all code while each file
/// compiled its own. Here, one file compiles them for the others.

/// The value of a text of JSON.
/// Errors: nlohmann::ordered_json::parse_error with the byte; its out_of_range for a number such
///         as 1e999.
[[nodiscard]] nlohmann::ordered_json parsed_json(std::string_view text);
/// The same, but a discarded value (nlohmann's is_discarded()) if the text is no JSON.
[[nodiscard]] nlohmann::ordered_json parsed_if_json(std::string_view text);

/// A value as text, on one line unless an `indent` is given. Broken UTF-8 is replaced.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace berth::experiments
