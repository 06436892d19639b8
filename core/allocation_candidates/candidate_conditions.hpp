#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"

namespace berth::core {

/// The kinds of conditions, in the order in which they are taken one after another.
enum class ConditionKind : std::uint8_t {
    root_required,
    root_forbidden,
    resources,
    required,
    member_of,
    in_tree,
    forbidden,
    forbidden_member,
    isolate,
    same_subtree,
};

/// One condition of a query: the smallest part that can be left out.
struct CandidateCondition {
    ConditionKind kind = ConditionKind::resources;
    std::size_t group = 0;  ///< The group that it is about, as an index in the query.
    std::size_t index = 0;  ///< The position among the conditions of the same kind there.
};

/// All conditions: those on roots, then those of each group, then those between groups. The parts
/// of a query up to any condition form a query too, since a group begins with what it asks for.
[[nodiscard]] std::vector<CandidateCondition> conditions_of(const CandidateQuery& query);

/// The condition as it can stand in a query string: `resources_N=SRIOV_NET_VF:2`.
[[nodiscard]] std::string text_of(const CandidateQuery& query, const CandidateCondition& condition);

/// Adds a condition of `query` to a query that has all conditions before it. A group without
/// resources gets a same_subtree of its own, which it needs and which restricts nothing.
void add_condition(const CandidateQuery& query,
                   const CandidateCondition& condition,
                   CandidateQuery& reduced);

/// A query for this condition alone: for a provider with what is required, or for the groups that
/// are to be apart or together. Nothing if that has no meaning.
[[nodiscard]] std::optional<CandidateQuery> query_alone(const CandidateQuery& query,
                                                        const CandidateCondition& condition);

/// A query for a single group of another query.
[[nodiscard]] CandidateQuery query_of_group(const CandidateGroup& group);

}  // namespace berth::core
