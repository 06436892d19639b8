#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// How many trees remain after one condition of a query.
struct ExplainedCondition {
    std::string text;  ///< The condition as it can stand in a query string.
    /// The number of trees at which a candidate is anchored that meets all conditions so far.
    std::uint64_t trees_left = 0;
    /// The number of trees if nothing else were asked for; nothing if that has no meaning.
    std::optional<std::uint64_t> trees_alone;

    friend bool operator==(const ExplainedCondition&, const ExplainedCondition&) = default;
};

/// Which conditions ruled out the trees of a forest.
struct CandidateExplanation {
    std::uint64_t trees = 0;
    /// The conditions in the order of conditions_of().
    std::vector<ExplainedCondition> conditions;
    std::optional<std::size_t> culprit;  ///< The first condition that leaves no tree.
    /// Why that condition leaves none, one sentence for each cause.
    std::vector<std::string> causes;
};

/// Takes the conditions of a query one after another, and says how many trees each of them leaves.
///
/// Shape: the query has no fault that a search for it would find.
/// Cost:  up to two searches for each condition, which look for one candidate in each tree.
[[nodiscard]] CandidateExplanation explain_candidates(const ProviderForest& forest,
                                                      const CandidateQuery& query);

}  // namespace berth::core
