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

/// What `resources$S`, `required$S`, `member_of$S` and `in_tree$S` ask for. A group with a suffix
/// asks it of one provider, and a group without one asks it of its providers together.
struct CandidateGroup {
    std::string suffix;  ///< `$S`; empty for the unsuffixed group.
    /// Amounts by resource class, in the order in which the classes were first named; none in a
    /// group without resources. An amount that does not fit into an Amount is amount_max.
    std::vector<std::pair<std::string, Amount>> resources;
    std::vector<AnyOf> required;         ///< Each list must be met; a plain trait is a list of one.
    std::vector<std::string> forbidden;  ///< Traits; sorted, without duplicates.
    std::vector<AnyOf> member_of;        ///< Aggregates; each list must be met.
    std::vector<std::string> forbidden_members;  ///< Aggregates; sorted, without duplicates.
    std::optional<std::string> in_tree;          ///< A provider of the required tree.

    /// More than any capacity; twice this amount still fits.
    static constexpr Amount amount_max = Amount{1} << 61;

    friend bool operator==(const CandidateGroup&, const CandidateGroup&) = default;
};

/// A parsed query for allocation candidates. Every name in it may still be unknown.
struct CandidateQuery {
    /// The groups, in the order in which their suffixes appear.
    std::vector<CandidateGroup> groups;
    bool isolate = false;  ///< No two suffixed groups may be on one provider.
    /// Lists of suffixes, each sorted and without duplicates. Of the providers of each list, one is
    /// the ancestor of the others.
    std::vector<std::vector<std::string>> same_subtree;
    std::vector<std::string> root_required;   ///< Traits; sorted, without duplicates.
    std::vector<std::string> root_forbidden;  ///< Traits; sorted, without duplicates.
    std::optional<std::uint64_t> limit;       ///< The value is at least 1.

    friend bool operator==(const CandidateQuery&, const CandidateQuery&) = default;
};

/// Why the service answers a query with 400.
struct CandidateQueryFault {
    std::string reason;                             ///< The `detail` of the service's error.
    std::string code = "placement.undefined_code";  ///< The `code` of the service's error.

    friend bool operator==(const CandidateQueryFault&, const CandidateQueryFault&) = default;
};

/// Parses the query string of `GET /allocation_candidates` at microversion 1.39, which is the text
/// behind the `?`: `resources=VCPU:1&required=!HW_NUMA_ROOT`.
///
/// Errors: the first fault, in the order in which the service looks for them. Unknown names are
///         found by the search, not here.
/// Source: OpenStack Placement 8.0.0, handlers/allocation_candidate.py, lib.py, util.py.
[[nodiscard]] std::variant<CandidateQuery, CandidateQueryFault> parse_candidate_query(
    std::string_view query);

/// Whether the service accepts a text as a UUID: 32 hexadecimal digits in either case, with or
/// without hyphens, braces or `urn:uuid:`.
[[nodiscard]] bool looks_like_uuid(std::string_view text);

}  // namespace berth::core
