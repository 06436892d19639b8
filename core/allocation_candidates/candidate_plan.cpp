#include "core/allocation_candidates/candidate_plan.hpp"

#include <algorithm>
#include <string>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

std::vector<std::uint32_t> known(const NameTable& table, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : names) {
        if (const auto number = table.find(name)) {
            numbers.push_back(*number);
        }
    }
    return numbers;
}

std::vector<std::vector<std::uint32_t>> known(const NameTable& table,
                                              const std::vector<AnyOf>& lists) {
    std::vector<std::vector<std::uint32_t>> numbers;
    for (const AnyOf& list : lists) {
        numbers.push_back(known(table, list));
    }
    return numbers;
}

std::vector<AnyOf> one_each(const std::vector<std::string>& names) {
    std::vector<AnyOf> lists;
    for (const std::string& name : names) {
        lists.push_back({name});
    }
    return lists;
}

}  // namespace

SetVerdicts::SetVerdicts(const NameSets& sets,
                         std::vector<std::vector<std::uint32_t>> any_of,
                         std::vector<std::uint32_t> forbidden)
    : sets_(sets),
      any_of_(std::move(any_of)),
      forbidden_(std::move(forbidden)),
      verdicts_(sets.size()) {}

void SetVerdicts::judge(std::uint32_t set, Verdict& verdict) const {
    const auto has = [&](std::uint32_t name) { return sets_.contains(set, name); };
    verdict.known = true;
    verdict.forbidden = std::ranges::any_of(forbidden_, has);
    verdict.meets_all = std::ranges::all_of(
        any_of_, [&](const auto& names) { return std::ranges::any_of(names, has); });
}

bool SetVerdicts::meet_all(std::span<const std::uint32_t> sets) const {
    return std::ranges::all_of(any_of_, [&](const auto& names) {
        return std::ranges::any_of(sets, [&](std::uint32_t set) {
            return std::ranges::any_of(
                names, [&](std::uint32_t name) { return sets_.contains(set, name); });
        });
    });
}

CandidatePlan::CandidatePlan(const ProviderForest& forest, const CandidateQuery& query)
    : forest_(forest),
      query_(query),
      root_(forest.trait_sets(),
            known(forest.traits(), one_each(query.root_required)),
            known(forest.traits(), query.root_forbidden)),
      asked_by_(forest.classes().size(), 0) {
    const auto unknown_trait = [&](const std::string& name) {
        return !forest_.traits().find(name);
    };
    has_unknown_names_ = std::ranges::any_of(query.root_required, unknown_trait) ||
                         std::ranges::any_of(query.root_forbidden, unknown_trait);
    for (const CandidateGroup& group : query.groups) {
        groups_.push_back(plan_group(group));
    }
    for (std::size_t group = 0; group < query.groups.size(); ++group) {
        plan_parts(group);
    }
    for (ClassIndex type = 0; type < asked_by_.size(); ++type) {
        if (is_contended(type)) {
            contended_.push_back(type);
        }
    }
    plan_same_subtree();
    plan_interests();
}

PlannedGroup CandidatePlan::plan_group(const CandidateGroup& group) {
    PlannedGroup out{!group.suffix.empty(),
                     !group.resources.empty(),
                     SetVerdicts(forest_.trait_sets(),
                                 known(forest_.traits(), group.required),
                                 known(forest_.traits(), group.forbidden)),
                     SetVerdicts(forest_.aggregate_sets(),
                                 known(forest_.aggregates(), group.member_of),
                                 known(forest_.aggregates(), group.forbidden_members)),
                     std::nullopt,
                     {}};
    const auto unknown_trait = [&](const std::string& name) {
        return !forest_.traits().find(name);
    };
    has_unknown_names_ = has_unknown_names_ ||
                         std::ranges::any_of(group.forbidden, unknown_trait) ||
                         std::ranges::any_of(group.required, [&](const AnyOf& names) {
                             return std::ranges::any_of(names, unknown_trait);
                         });
    if (group.in_tree) {
        const auto provider = forest_.find(*group.in_tree);
        out.in_tree = provider ? std::optional(forest_.tree(*provider)) : std::nullopt;
        is_empty_ = is_empty_ || !provider;
    }
    // The service does not look for providers only by what they must not have, or only by their
    // tree.
    is_empty_ =
        is_empty_ || (!out.has_resources && group.required.empty() && group.member_of.empty());
    if (!out.has_resources) {
        out.in_tree.reset();  // the service ignores the tree of a group without resources
    }
    return out;
}

void CandidatePlan::plan_parts(std::size_t index) {
    const auto add = [&](std::vector<std::pair<ClassIndex, Amount>> resources) {
        class_bits_.push_back(0);
        for (const auto& [type, amount] : resources) {
            ++asked_by_[type];
            class_bits_.back() |= std::uint64_t{1} << type % 64;
        }
        std::ranges::sort(resources);
        groups_[index].parts.push_back(parts_.size());
        parts_.push_back({index, std::move(resources)});
    };
    std::vector<std::pair<ClassIndex, Amount>> resources;
    for (const auto& [name, amount] : query_.groups[index].resources) {
        if (const auto type = forest_.classes().find(name)) {
            resources.emplace_back(*type, amount);
        } else {
            has_unknown_names_ = true;
        }
    }
    if (groups_[index].suffixed) {
        add(std::move(resources));
        return;
    }
    for (const auto& resource : resources) {
        add({resource});
    }
}

void CandidatePlan::plan_same_subtree() {
    subtrees_of_.resize(parts_.size());
    for (const std::vector<std::string>& suffixes : query_.same_subtree) {
        std::vector<std::size_t>& list = same_subtree_.emplace_back();
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            const std::string& suffix = query_.groups[parts_[part].group].suffix;
            if (!suffix.empty() && std::ranges::binary_search(suffixes, suffix)) {
                list.push_back(part);
                subtrees_of_[part].push_back(same_subtree_.size() - 1);
            }
        }
    }
}

bool CandidatePlan::concern_each_other(std::size_t a, std::size_t b) const {
    const auto asks_for = [&](std::size_t part, ClassIndex type) {
        return std::ranges::any_of(parts_[part].resources,
                                   [&](const auto& resource) { return resource.first == type; });
    };
    const auto in_subtree_of_b = [&](std::size_t list) {
        return std::ranges::find(subtrees_of_[b], list) != subtrees_of_[b].end();
    };
    const bool both_suffixed =
        groups_[parts_[a].group].suffixed && groups_[parts_[b].group].suffixed;
    return (both_suffixed && query_.isolate) ||
           (parts_[a].group == parts_[b].group && has_joint_traits(a)) ||
           std::ranges::any_of(subtrees_of_[a], in_subtree_of_b) ||
           std::ranges::any_of(
               contended_, [&](ClassIndex type) { return asks_for(a, type) && asks_for(b, type); });
}

void CandidatePlan::plan_interests() {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        // The lists that the part has to do with become one list.
        std::vector<std::size_t> joined{part};
        std::erase_if(parts_by_interest_, [&](const std::vector<std::size_t>& list) {
            const bool join = std::ranges::any_of(
                list, [&](std::size_t other) { return concern_each_other(part, other); });
            if (join) {
                joined.insert(joined.end(), list.begin(), list.end());
            }
            return join;
        });
        parts_by_interest_.push_back(std::move(joined));
    }
}

bool CandidatePlan::may_serve(ProviderIndex provider, std::size_t part) {
    const auto rows = forest_.inventories(provider);
    auto row = rows.begin();
    for (const auto& [type, amount] : parts_[part].resources) {
        while (row != rows.end() && row->resource_class < type) {
            ++row;
        }
        if (row == rows.end() || row->resource_class != type || !row->fits(amount)) {
            return false;
        }
    }
    PlannedGroup& group = group_of(part);
    const std::uint32_t traits = forest_.trait_set(provider);
    const std::uint32_t aggregates = forest_.aggregate_set(provider);
    if (group.in_tree && *group.in_tree != forest_.tree(provider)) {
        return false;
    }
    if (group.suffixed) {
        return group.traits.accepts(traits) && group.aggregates.accepts(aggregates);
    }
    return !group.traits.has_forbidden(traits) && !group.aggregates.has_forbidden(aggregates);
}

bool CandidatePlan::may_serve_at(ProviderIndex provider, std::size_t part, TreeIndex tree) {
    PlannedGroup& group = group_of(part);
    if (group.suffixed) {
        return true;
    }
    const bool is_local = forest_.tree(provider) == tree;
    const std::uint32_t root_set = forest_.aggregate_set(forest_.root(tree));
    if (group.aggregates.has_forbidden(root_set)) {
        return false;
    }
    return group.aggregates.meets_all(forest_.aggregate_set(provider)) ||
           (is_local && group.aggregates.meets_all(root_set));
}

bool CandidatePlan::may_serve_elsewhere(ProviderIndex sharing, std::size_t part) {
    // For the unsuffixed group, a shared provider must itself be in the required aggregates, and
    // serves no tree that was named.
    PlannedGroup& group = group_of(part);
    const bool barred =
        !group.suffixed &&
        (group.in_tree.has_value() || !group.aggregates.meets_all(forest_.aggregate_set(sharing)));
    return !barred && may_serve(sharing, part);
}

}  // namespace berth::core
