#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// Names of which one is enough: sorted, without duplicates, not empty.
using AnyOf = std::vector<std::string>;

/// What `resources$S`, `required$S`, `member_of$S` and `in_tree$S` ask for: of one provider if the
/// group has a suffix, of the providers together if it has none.
struct CandidateGroup {
    std::string suffix;  ///< `$S`; empty for the unsuffixed group.
    /// Amounts by resource class, in the order in which the classes were first named; none in a
    /// group without resources. An amount that does not fit into an Amount is amount_max.
    std::vector<std::pair<std::string, Amount>> resources;
    std::vector<AnyOf> required;                 ///< Each must be met; a plain trait is one of one.
    std::vector<std::string> forbidden;          ///< Traits; sorted, without duplicates.
    std::vector<AnyOf> member_of;                ///< Aggregates; each must be met.
    std::vector<std::string> forbidden_members;  ///< Aggregates; sorted, without duplicates.
    std::optional<std::string> in_tree;          ///< A provider of the tree.

    /// More than any capacity, and twice it still has room.
    static constexpr Amount amount_max = Amount{1} << 61;

    friend bool operator==(const CandidateGroup&, const CandidateGroup&) = default;
};

/// A query for allocation candidates, parsed: every name in it may still be unknown.
struct CandidateQuery {
    std::vector<CandidateGroup> groups;  ///< In the order in which their suffixes appear.
    bool isolate = false;                ///< No two suffixed groups on one provider.
    /// Lists of suffixes, each sorted without duplicates: of the providers of each list one is the
    /// ancestor of the others.
    std::vector<std::vector<std::string>> same_subtree;
    std::vector<std::string> root_required;   ///< Traits; sorted, without duplicates.
    std::vector<std::string> root_forbidden;  ///< The same.
    std::optional<std::uint64_t> limit;       ///< At least 1.

    friend bool operator==(const CandidateQuery&, const CandidateQuery&) = default;
};

/// Why the service answers a query with 400.
struct CandidateQueryFault {
    std::string reason;                             ///< The `detail` of its error.
    std::string code = "placement.undefined_code";  ///< The `code` of its error.

    friend bool operator==(const CandidateQueryFault&, const CandidateQueryFault&) = default;
};

/// Parses the query string of `GET /allocation_candidates` at microversion 1.39, what follows the
/// `?`: `resources=VCPU:1&required=!HW_NUMA_ROOT`.
///
/// Errors: the first fault, in the order in which the service looks for them. Names that nobody
///         knows are found by the search, not here.
/// Source: OpenStack Placement 8.0.0, handlers/allocation_candidate.py, lib.py, util.py.
[[nodiscard]] std::variant<CandidateQuery, CandidateQueryFault> parse_candidate_query(
    std::string_view query);

/// Whether the service takes a text for a UUID: 32 hexadecimal digits in either case, with hyphens,
/// braces or `urn:uuid:` or without.
[[nodiscard]] bool looks_like_uuid(std::string_view text);

}  // namespace berth::core
