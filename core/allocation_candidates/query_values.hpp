#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"

namespace berth::core {

/// The readers of a query's values. Each takes a value's content over, in place of what the query
/// or group had from the same key, or says what is wrong with it.
///
/// Shape: values are UTF-8.
using QueryValueFault = std::optional<CandidateQueryFault>;

inline constexpr std::string_view bad_value_code = "placement.query.bad_value";
/// What the service says about an unknown parameter.
[[nodiscard]] CandidateQueryFault invalid_parameters(std::string_view what);

[[nodiscard]] QueryValueFault read_root_required(const std::string& value, CandidateQuery& query);
/// Every value is a list of its own, after those that the query has.
[[nodiscard]] QueryValueFault read_same_subtree(const std::string& value, CandidateQuery& query);
[[nodiscard]] QueryValueFault read_resources(const std::string& value, CandidateGroup& group);
/// `required` and `member_of` take all values of their key together.
[[nodiscard]] QueryValueFault read_required(const std::vector<std::string>& values,
                                            CandidateGroup& group);
[[nodiscard]] QueryValueFault read_member_of(const std::vector<std::string>& values,
                                             CandidateGroup& group);
[[nodiscard]] QueryValueFault read_in_tree(const std::string& value, CandidateGroup& group);

}  // namespace berth::core
