#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::experiments {

/// More candidates than this are not put together unless they are asked for: their text is about a
/// gigabyte.
inline constexpr std::uint64_t candidates_max_default = 1'000'000;

/// Answers one request for allocation candidates: a JSON object on one line, as `berth candidates
/// --jsonl` reads it.
///
/// Shape:   docs/reference/candidates.md.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for a request that
///          is none.
[[nodiscard]] std::string answer_candidates_request(std::string_view request);

}  // namespace berth::experiments
