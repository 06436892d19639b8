#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/allocation_candidates/candidate_search.hpp"

namespace berth::experiments {

/// Appends what `GET /allocation_candidates` answers with, as one line of JSON with sorted keys:
/// `{"allocation_requests":[...],"provider_summaries":{...}}`. Candidates are in the order of
/// core::candidates_in_order(); summaries are of all providers of the trees that a candidate takes
/// something of, by uuid.
///
/// Shape: `candidates` are those of `search`, a search for `query`.
/// Cost:  less than a nanosecond for each byte, since it builds no tree of JSON values.
void append_candidates_body(const core::ProviderForest& forest,
                            const core::CandidateQuery& query,
                            const core::CandidateSearch& search,
                            const core::CandidateList& candidates,
                            std::string& out);

/// More candidates than this are not put together unless they are asked for: their text is about a
/// gigabyte.
inline constexpr std::uint64_t candidates_max_default = 1'000'000;
/// What is said where core::CandidateSearch::count() gives up.
inline constexpr const char* too_many_to_count =
    "too many candidates to count one by one, as same_subtree and traits of the unsuffixed group "
    "need it: expected fewer";

/// Answers one request for allocation candidates: a JSON object on one line, as `berth candidates
/// --jsonl` reads it.
///
/// Shape:   docs/reference/candidates.md.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for a request that
///          is none.
[[nodiscard]] std::string answer_candidates_request(std::string_view request);

}  // namespace berth::experiments
