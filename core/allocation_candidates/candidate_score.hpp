#pragma once

#include <cstdint>
#include <vector>

#include "core/allocation_candidates/candidate_order.hpp"
#include "core/index/scorer.hpp"

namespace berth::core {

/// A scorer's mean over the providers that a candidate takes from, each by the classes that are
/// taken of it. The service has no such score: it is berth's own.
///
/// Units: 1/1024 of the scorer's.
[[nodiscard]] std::int64_t candidate_score(const ProviderForest& forest,
                                           const AllocationCandidate& candidate,
                                           const Scorer& scorer);

/// The candidates' numbers by descending score; equal ones as candidates_in_order() has them.
/// Cost: O(n log n).
[[nodiscard]] std::vector<std::uint32_t> candidates_by_score(const ProviderForest& forest,
                                                             CandidateWriter& writer,
                                                             const CandidateList& candidates,
                                                             const Scorer& scorer);

}  // namespace berth::core
