#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/allocation_candidates/candidate_search.hpp"

namespace berth::experiments {

/// Appends the answer to `GET /allocation_candidates` as one line of JSON with sorted keys:
/// `{"allocation_requests":[...],"provider_summaries":{...}}`. Candidates are in the order of
/// core::candidates_in_order(); the summaries cover all providers of the trees that a candidate
/// uses, sorted by uuid.
///
/// Shape: `candidates` are the results of `search`, a search for `query`.
/// Cost:  less than a nanosecond for each byte, because no tree of JSON values is built.
void append_candidates_body(const core::ProviderForest& forest,
                            const core::CandidateQuery& query,
                            const core::CandidateSearch& search,
                            const core::CandidateList& candidates,
                            std::string& out);

/// The maximum number of candidates that are written if the request states no other: their text
/// takes about a gigabyte.
inline constexpr std::uint64_t candidates_max_default = 1'000'000;
/// The message for the case that core::CandidateSearch::count() gives up.
inline constexpr const char* too_many_to_count =
    "too many candidates to count one by one, which same_subtree, traits of the unsuffixed group "
    "and providers shared by several trees need: expected fewer";

/// Answers one request for allocation candidates: a JSON object on one line, as
/// `berth candidates --jsonl` reads it.
///
/// Shape:   docs/reference/candidates.md.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
[[nodiscard]] std::string answer_candidates_request(std::string_view request);

}  // namespace berth::experiments
