#pragma once

#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_conditions.hpp"
#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// The trees at which a candidate is anchored; those with a root that is allowed, if the query has
/// no group. None for a query that names what does not exist.
[[nodiscard]] std::vector<TreeIndex> anchors_of(const ProviderForest& forest,
                                                const CandidateQuery& query);

/// A condition that leaves nothing.
struct LastCondition {
    const ProviderForest& forest;
    const CandidateQuery& query;
    const CandidateCondition& condition;
    const CandidateQuery& before;         ///< The conditions before it.
    const CandidateQuery& with;           ///< They and it.
    const std::vector<TreeIndex>& left;   ///< The anchors before it.
    const std::vector<TreeIndex>& alone;  ///< Its own anchors, if it has a meaning alone.
};

/// Why it leaves nothing, a sentence each.
[[nodiscard]] std::vector<std::string> causes_of(const LastCondition& last);

}  // namespace berth::core
