#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"

namespace berth::core {

/// One `key=value` of a query string, decoded.
struct QueryPair {
    std::string key;
    std::string value;
};

/// The pairs of a query string in order, in the form application/x-www-form-urlencoded: `+` is a
/// space and `%2C` a comma, also in keys; a piece without `=` is a key with an empty value.
///
/// Shape:  the bytes are those of the text, whether UTF-8 or not. A `%` without two digits is a
///         `%`.
/// Source: parse_qsl() of Python 3.11, urllib/parse.py, which knows `&` as the only separator.
[[nodiscard]] std::vector<QueryPair> parse_query_pairs(std::string_view query);

/// The readers of a query's values. Each reader puts the content of a value in place of what the
/// query or group had from the same key, or says what is wrong with it.
///
/// Shape: values are UTF-8.
using QueryValueFault = std::optional<CandidateQueryFault>;

inline constexpr std::string_view bad_value_code = "placement.query.bad_value";
/// The service's message about an unknown parameter.
[[nodiscard]] CandidateQueryFault invalid_parameters(std::string_view what);

[[nodiscard]] QueryValueFault read_root_required(const std::string& value, CandidateQuery& query);
/// Every value is a list of its own, and is added after those that the query has.
[[nodiscard]] QueryValueFault read_same_subtree(const std::string& value, CandidateQuery& query);
[[nodiscard]] QueryValueFault read_resources(const std::string& value, CandidateGroup& group);
/// `required` and `member_of` take all values of their key together.
[[nodiscard]] QueryValueFault read_required(const std::vector<std::string>& values,
                                            CandidateGroup& group);
[[nodiscard]] QueryValueFault read_member_of(const std::vector<std::string>& values,
                                             CandidateGroup& group);
[[nodiscard]] QueryValueFault read_in_tree(const std::string& value, CandidateGroup& group);

}  // namespace berth::core
