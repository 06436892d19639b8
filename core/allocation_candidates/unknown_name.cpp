#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/allocation_candidates/candidate_plan.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

std::optional<CandidateQueryFault> unknown_traits(const ProviderForest& forest,
                                                  const std::vector<AnyOf>& lists) {
    std::set<std::string> unknown;
    for (const AnyOf& names : lists) {
        std::ranges::copy_if(names,
                             std::inserter(unknown, unknown.end()),
                             [&](const std::string& name) { return !forest.traits().find(name); });
    }
    return unknown.empty() ? std::nullopt
                           : std::optional(CandidateQueryFault{
                                 fmt::format("No such trait(s): {}.", join(unknown, ", "))});
}

/// The unknown name in one group, or that the group ends the evaluation before this is noticed.
struct GroupCheck {
    std::optional<CandidateQueryFault> fault;
    bool ends = false;
};

bool some_provider_is_in_all(const ProviderForest& forest, const std::vector<AnyOf>& member_of) {
    const auto in_all = [&](std::uint32_t set) {
        return std::ranges::all_of(member_of, [&](const AnyOf& names) {
            return std::ranges::any_of(names, [&](const std::string& name) {
                const auto aggregate = forest.aggregates().find(name);
                return aggregate && forest.aggregate_sets().contains(set, *aggregate);
            });
        });
    };
    for (std::uint32_t set = 0; set < forest.aggregate_sets().size(); ++set) {
        if (in_all(set)) {
            return true;
        }
    }
    return false;
}

bool some_root_is_allowed(const ProviderForest& forest, const CandidateQuery& query) {
    CandidatePlan plan(forest, query);
    for (TreeIndex tree = 0; tree < forest.tree_count(); ++tree) {
        if (plan.allows_root(tree)) {
            return true;
        }
    }
    return false;
}

GroupCheck check(const ProviderForest& forest, const CandidateGroup& group) {
    for (const auto& [name, amount] : group.resources) {
        if (!forest.classes().find(name)) {
            return {CandidateQueryFault{fmt::format(
                        "Invalid resource class in resources parameter: No such resource class {}.",
                        name)},
                    false};
        }
    }
    if (!group.member_of.empty() && !some_provider_is_in_all(forest, group.member_of)) {
        return {std::nullopt, true};
    }
    if (auto fault = unknown_traits(forest, group.required)) {
        return {std::move(fault), false};
    }
    return {unknown_traits(forest, {group.forbidden}), false};
}

}  // namespace

std::optional<CandidateQueryFault> unknown_name(const ProviderForest& forest,
                                                const CandidateQuery& query) {
    if (auto fault = unknown_traits(forest, {query.root_required, query.root_forbidden})) {
        return fault;
    }
    // What remains of the query up to the current group. Here a group without resources may stand
    // alone.
    CandidateQuery alone;
    alone.root_required = query.root_required;
    alone.root_forbidden = query.root_forbidden;
    if ((!query.root_required.empty() || !query.root_forbidden.empty()) &&
        !some_root_is_allowed(forest, alone)) {
        return std::nullopt;
    }
    for (const CandidateGroup& group : query.groups) {
        GroupCheck found = check(forest, group);
        if (found.fault || found.ends) {
            return std::move(found.fault);
        }
        alone.groups = {group};
        if (CandidateSearch(forest, alone).anchors().empty()) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace berth::core
