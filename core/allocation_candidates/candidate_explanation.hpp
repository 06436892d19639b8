#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// What one condition of a query leaves.
struct ExplainedCondition {
    std::string text;              ///< As it can stand in a query string.
    std::uint64_t trees_left = 0;  ///< With a candidate anchored there, by all conditions so far.
    /// The same if nothing else were asked; nothing where that has no meaning.
    std::optional<std::uint64_t> trees_alone;

    friend bool operator==(const ExplainedCondition&, const ExplainedCondition&) = default;
};

/// Which conditions ruled out the trees of a forest.
struct CandidateExplanation {
    std::uint64_t trees = 0;
    std::vector<ExplainedCondition> conditions;  ///< In the order of conditions_of().
    std::optional<std::size_t> culprit;          ///< The first condition that leaves none.
    std::vector<std::string> causes;             ///< Why that one does, a sentence each.
};

/// Takes the conditions of a query one after the other, and says how many trees each leaves.
///
/// Shape: the query has no fault that a search for it would find.
/// Cost:  up to two searches a condition, each for one candidate a tree.
[[nodiscard]] CandidateExplanation explain_candidates(const ProviderForest& forest,
                                                      const CandidateQuery& query);

}  // namespace berth::core
