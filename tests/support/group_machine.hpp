#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/group_allocator/group_allocator.hpp"
#include "core/group_allocator/group_exact.hpp"
#include "core/group_allocator/group_key.hpp"

namespace berth::tests {

/// Which resource serves which request, both by their full names.
using GroupMapping = std::map<std::string, std::string>;

/// Amounts of group resources, given by names without their common prefix.
inline core::GroupAmounts group_amounts(const std::map<std::string, core::Amount>& short_names) {
    core::GroupAmounts out;
    for (const auto& [name, amount] : short_names) {
        out[std::string(core::group_prefix) + "/" + name] = amount;
    }
    return out;
}

inline GroupMapping group_mapping(const GroupMapping& short_names) {
    GroupMapping out;
    for (const auto& [name, from] : short_names) {
        const std::string prefix = std::string(core::group_prefix) + "/";
        out[prefix + name] = prefix + from;
    }
    return out;
}

/// A container as the reader delivers it, with full names.
struct GroupAsk {
    std::string name;
    bool init = false;
    core::GroupAmounts requests;
    std::map<std::string, const core::GroupScorer*> scorers{};
    std::optional<GroupMapping> from{};  ///< The mapping that the container brings along.
};
using GroupAsks = std::vector<GroupAsk>;

/// One machine with group resources, their usage, and the rules of its search.
class GroupMachine {
public:
    explicit GroupMachine(const core::GroupAmounts& allocatable,
                          const core::GroupAmounts& used = {},
                          const core::GroupRules& by = core::paper_group_rules,
                          const core::GroupScorers& scorers = {})
        : rules(by), tree(allocatable, scorers, by.order), states(tree), state(states.idle()) {
        for (const auto& [name, amount] : used) {
            use(name, amount);
        }
    }

    void use(const std::string& name, core::Amount amount) {
        const core::GroupStates::Change change{tree.find_resource(name).value(), amount};
        state = states.with(state, {&change, 1});
    }
    [[nodiscard]] core::Amount used(const std::string& name) const {
        return states.used(state, tree.find_resource(name).value());
    }
    [[nodiscard]] core::GroupPod pod(const GroupAsks& asks) const {
        core::GroupPod out;
        for (const GroupAsk& ask : asks) {
            core::GroupContainer& container = out.emplace_back();
            container.name = ask.name;
            container.init = ask.init;
            container.demands = {ask.requests.begin(), ask.requests.end()};
            for (const auto& [name, amount] : container.demands) {
                const auto scorer = ask.scorers.find(name);
                container.scorers.push_back(scorer == ask.scorers.end() ? nullptr : scorer->second);
            }
            if (!ask.from) {
                continue;
            }
            container.allocate_from.emplace();
            for (const auto& [name, amount] : container.demands) {
                const auto from = ask.from->find(name);
                container.allocate_from->push_back(
                    from == ask.from->end() ? std::nullopt : tree.find_resource(from->second));
            }
        }
        return out;
    }
    [[nodiscard]] core::GroupFit fit(const GroupAsks& asks) const {
        return core::GroupAllocator(rules).fit(tree, *state, pod(asks));
    }
    [[nodiscard]] core::ExactGroupFit fit_exact(const GroupAsks& asks) const {
        return core::fit_exact(tree, *state, pod(asks), rules);
    }
    /// Mappings by container.
    [[nodiscard]] std::vector<GroupMapping> mapping(const GroupAsks& asks,
                                                    const core::GroupFit& fit) const {
        std::vector<GroupMapping> out(asks.size());
        for (std::size_t c = 0; c < asks.size(); ++c) {
            auto request = asks[c].requests.begin();
            for (const std::uint32_t resource : fit.allocate_from[c]) {
                out[c][request++->first] = tree.resource_name(resource);
            }
        }
        return out;
    }
    /// Adds the pod's charges to the machine's usage.
    std::vector<core::GroupCharge> take(const GroupAsks& asks, const core::GroupFit& fit) {
        std::vector<core::GroupCharge> charges =
            core::group_charges(tree, *state, pod(asks), fit, rules);
        std::vector<core::GroupStates::Change> changes;
        for (const core::GroupCharge& charge : charges) {
            changes.push_back({charge.resource, charge.used});
        }
        state = states.with(state, changes);
        return charges;
    }
    void give_back(const std::vector<core::GroupCharge>& charges) {
        std::vector<core::GroupStates::Change> changes;
        for (const core::GroupCharge& charge : charges) {
            const core::GroupScorer& scorer = *tree.resource(charge.resource).scorer;
            changes.push_back({charge.resource,
                               scorer.returned(states.used(state, charge.resource), charge.pod)});
        }
        state = states.with(state, changes);
    }

    const core::GroupRules rules;
    const core::GroupTree tree;
    core::GroupStates states;
    const core::GroupState* state;
};

using Short = std::map<std::string, core::Amount>;

/// The union of both.
inline core::GroupAmounts operator+(core::GroupAmounts a, const core::GroupAmounts& b) {
    a.insert(b.begin(), b.end());
    return a;
}

/// A pod of one running container.
inline GroupAsks one(const Short& requests) {
    return {{"c", false, group_amounts(requests)}};
}

/// The sorted reasons why the containers do not fit.
inline std::vector<core::GroupReason> reasons_of(const GroupMachine& machine,
                                                 const GroupAsks& asks) {
    core::GroupFit fit = machine.fit(asks);
    CHECK_FALSE(fit.found);
    std::ranges::sort(fit.reasons);
    return fit.reasons;
}

}  // namespace berth::tests
