#pragma once

#include <cstdint>
#include <iosfwd>

#include "core/allocation_candidates/candidate_explanation.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "core/index/scorer.hpp"

namespace berth::experiments {

/// Writes candidates for people, each a line of who gives what, and then what the trees have from
/// which something is taken:
///    1. NUMA1 [_C] (VCPU:2) + PF1 [_N] (SRIOV_NET_VF:1)
///
/// Order: by name, numbers by their value, since nobody reads uuids.
/// Shape: `candidates` are those of `search`, a search for `query`.
void write_candidates(std::ostream& out,
                      const core::ProviderForest& forest,
                      const core::CandidateQuery& query,
                      const core::CandidateSearch& search,
                      const core::CandidateList& candidates);

/// The same, the best by `scorer` first, at most `limit`.
void write_candidates_by_score(std::ostream& out,
                               const core::ProviderForest& forest,
                               const core::CandidateQuery& query,
                               const core::CandidateSearch& search,
                               const core::CandidateList& candidates,
                               const core::Scorer& scorer,
                               std::uint64_t limit);

/// Writes how many trees each condition leaves, and why the last tree went.
void write_explanation(std::ostream& out, const core::CandidateExplanation& explanation);

}  // namespace berth::experiments
