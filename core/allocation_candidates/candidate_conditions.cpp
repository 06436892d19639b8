#include "core/allocation_candidates/candidate_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"

namespace berth::core {
namespace {

using Kind = ConditionKind;

std::string any_of(const AnyOf& names) {
    return fmt::format("{}{}", names.size() > 1 ? "in:" : "", join(names, ","));
}

void add_to_group(const CandidateGroup& group,
                  const CandidateCondition& condition,
                  CandidateGroup& reduced) {
    switch (condition.kind) {
        case Kind::resources:
            reduced.resources.push_back(group.resources[condition.index]);
            break;
        case Kind::required:
            reduced.required.push_back(group.required[condition.index]);
            break;
        case Kind::member_of:
            reduced.member_of.push_back(group.member_of[condition.index]);
            break;
        case Kind::in_tree:
            reduced.in_tree = group.in_tree;
            break;
        case Kind::forbidden:
            reduced.forbidden.push_back(group.forbidden[condition.index]);
            break;
        default:
            reduced.forbidden_members.push_back(group.forbidden_members[condition.index]);
    }
}

void add_group(const CandidateGroup& group, CandidateQuery& query) {
    query.groups.push_back(group);
    if (group.resources.empty()) {
        query.same_subtree.push_back({group.suffix});
    }
}

/// A query for a provider that has a trait or is in an aggregate, regardless of everything else.
CandidateQuery query_for_provider(const CandidateGroup& group) {
    CandidateGroup alone = group;
    alone.suffix = "alone";
    return query_of_group(alone);
}

}  // namespace

std::vector<CandidateCondition> conditions_of(const CandidateQuery& query) {
    std::vector<CandidateCondition> conditions;
    const auto add = [&](Kind kind, std::size_t group, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            conditions.push_back({kind, group, i});
        }
    };
    add(Kind::root_required, 0, query.root_required.size());
    add(Kind::root_forbidden, 0, query.root_forbidden.size());
    for (std::size_t i = 0; i < query.groups.size(); ++i) {
        const CandidateGroup& group = query.groups[i];
        add(Kind::resources, i, group.resources.size());
        add(Kind::required, i, group.required.size());
        add(Kind::member_of, i, group.member_of.size());
        add(Kind::in_tree, i, group.in_tree ? 1 : 0);
        add(Kind::forbidden, i, group.forbidden.size());
        add(Kind::forbidden_member, i, group.forbidden_members.size());
    }
    add(Kind::isolate, 0, query.isolate ? 1 : 0);
    add(Kind::same_subtree, 0, query.same_subtree.size());
    return conditions;
}

std::string text_of(const CandidateQuery& query, const CandidateCondition& condition) {
    const std::size_t i = condition.index;
    switch (condition.kind) {
        case Kind::root_required:
            return fmt::format("root_required={}", query.root_required[i]);
        case Kind::root_forbidden:
            return fmt::format("root_required=!{}", query.root_forbidden[i]);
        case Kind::isolate:
            return "group_policy=isolate";
        case Kind::same_subtree:
            return fmt::format("same_subtree={}", join(query.same_subtree[i], ","));
        default:
            break;
    }
    const CandidateGroup& group = query.groups[condition.group];
    switch (condition.kind) {
        case Kind::resources:
            return fmt::format("resources{}={}:{}",
                               group.suffix,
                               group.resources[i].first,
                               group.resources[i].second);
        case Kind::required:
            return fmt::format("required{}={}", group.suffix, any_of(group.required[i]));
        case Kind::member_of:
            return fmt::format("member_of{}={}", group.suffix, any_of(group.member_of[i]));
        case Kind::in_tree:
            return fmt::format("in_tree{}={}", group.suffix, *group.in_tree);
        case Kind::forbidden:
            return fmt::format("required{}=!{}", group.suffix, group.forbidden[i]);
        default:
            return fmt::format("member_of{}=!{}", group.suffix, group.forbidden_members[i]);
    }
}

void add_condition(const CandidateQuery& query,
                   const CandidateCondition& condition,
                   CandidateQuery& reduced) {
    switch (condition.kind) {
        case Kind::root_required:
            reduced.root_required.push_back(query.root_required[condition.index]);
            return;
        case Kind::root_forbidden:
            reduced.root_forbidden.push_back(query.root_forbidden[condition.index]);
            return;
        case Kind::isolate:
            reduced.isolate = true;
            return;
        case Kind::same_subtree:
            reduced.same_subtree.push_back(query.same_subtree[condition.index]);
            return;
        default:
            break;
    }
    const CandidateGroup& group = query.groups[condition.group];
    if (reduced.groups.size() == condition.group) {
        CandidateGroup& begun = reduced.groups.emplace_back();
        begun.suffix = group.suffix;
        if (group.resources.empty()) {
            reduced.same_subtree.push_back({group.suffix});
        }
    }
    add_to_group(group, condition, reduced.groups.back());
}

std::optional<CandidateQuery> query_alone(const CandidateQuery& query,
                                          const CandidateCondition& condition) {
    CandidateQuery alone;
    CandidateGroup group;
    switch (condition.kind) {
        case Kind::root_required:
        case Kind::root_forbidden:
            add_condition(query, condition, alone);
            return alone;
        case Kind::resources:
            group.suffix = query.groups[condition.group].suffix;
            add_to_group(query.groups[condition.group], condition, group);
            return query_of_group(group);
        case Kind::required:
        case Kind::member_of:
            add_to_group(query.groups[condition.group], condition, group);
            return query_for_provider(group);
        case Kind::isolate:
            alone.isolate = true;
            for (const CandidateGroup& other : query.groups) {
                if (!other.suffix.empty()) {
                    add_group(other, alone);
                }
            }
            return alone;
        case Kind::same_subtree: {
            const std::vector<std::string>& suffixes = query.same_subtree[condition.index];
            for (const CandidateGroup& other : query.groups) {
                if (std::ranges::find(suffixes, other.suffix) != suffixes.end()) {
                    add_group(other, alone);
                }
            }
            alone.same_subtree.push_back(suffixes);
            return alone;
        }
        default:
            return std::nullopt;
    }
}

CandidateQuery query_of_group(const CandidateGroup& group) {
    CandidateQuery query;
    add_group(group, query);
    return query;
}

}  // namespace berth::core
