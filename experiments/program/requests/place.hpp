#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Answers one request to place a group: a JSON object on one line, as `berth place --jsonl` reads
/// it.
///
/// Shape:   docs/reference/place.md; `topology`, `group`, and optionally `claimed`, `numFit`,
///          `solver`.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
/// Source:  semantics of the published program. With solver `exact`, a group with more claimed
///          members than its size is shrunk.
[[nodiscard]] std::string answer_place_request(std::string_view request);

}  // namespace berth::experiments
