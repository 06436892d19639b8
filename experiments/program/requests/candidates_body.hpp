#pragma once

#include <string>

#include "core/allocation_candidates/candidate_search.hpp"

namespace berth::experiments {

/// Appends what `GET /allocation_candidates` answers with, as one line of JSON with sorted keys:
/// `{"allocation_requests":[...],"provider_summaries":{...}}`. Candidates are in the order of
/// core::candidates_in_order(); summaries are of all providers of the trees that a candidate takes
/// something of, by uuid.
///
/// Shape: `candidates` are those of `search`, a search for `query`.
/// Cost:  under a nanosecond a byte: there is no tree of values in between.
void append_candidates_body(const core::ProviderForest& forest,
                            const core::CandidateQuery& query,
                            const core::CandidateSearch& search,
                            const core::CandidateList& candidates,
                            std::string& out);

}  // namespace berth::experiments
