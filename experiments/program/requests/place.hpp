#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Answers one request to place a group: a JSON object on one line, as `berth place --jsonl` reads
/// it.
///
/// Shape:   docs/reference/place.md; `topology`, `group`, and optionally `claimed`, `numFit`,
///          `solver`.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for a request that
///          is none.
/// Source:  semantics of the published program; solver `exact` with more claimed than the group's
///          size shrinks the group.
[[nodiscard]] std::string answer_place_request(std::string_view request);

}  // namespace berth::experiments
