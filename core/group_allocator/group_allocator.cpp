#include "core/group_allocator/group_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/group_allocator/group_accidents.hpp"
#include "core/support/assert.hpp"

namespace berth::core {

/// How far fitting a pod has come.
struct GroupAllocator::Progress {
    const GroupTree& tree;
    const GroupState* state;
    GroupFit fit;
    bool last = false;  ///< No container follows.
};

namespace {

/// Removes repeated reasons, since candidates that are alike have the same ones.
void say_once(std::vector<GroupReason>& reasons) {
    std::set<GroupReason> said;
    std::erase_if(reasons, [&](const GroupReason& reason) { return !said.insert(reason).second; });
}

}  // namespace

GroupFit GroupAllocator::fit(const GroupTree& tree, const GroupState& state, const GroupPod& pod) {
    BERTH_ASSERT(state.shape == &tree.root_shape(), "the state is of this machine");
    maker_.forget();
    Progress progress{tree, &state, {true, 0, {}, {}}, false};
    progress.fit.allocate_from.reserve(pod.size());
    for (const GroupContainer& container : pod) {
        progress.last = &container == &pod.back();
        fit_container(container, progress);
        if (progress.state->charged && !progress.last) {
            progress.state = commit(*progress.state, container.init, maker_);
        }
    }
    BERTH_ASSERT(progress.fit.allocate_from.size() == pod.size(),
                 "every container has its list of resources");
    if (!rules_.scores_last_running) {
        progress.fit.score = progress.fit.found ? score_sum(*progress.state) : 0.0;
    }
    if (!rules_.reasons_of_single_candidate) {
        say_once(progress.fit.reasons);
    }
    return std::move(progress.fit);
}

void GroupAllocator::fit_container(const GroupContainer& container, Progress& progress) {
    GroupFit& fit = progress.fit;
    std::vector<std::uint32_t>& resources = fit.allocate_from.emplace_back();
    bool found = true;
    double score = 0;
    if (!container.demands.empty() && container.allocate_from) {
        found = charge_given(container, progress);
        score = score_sum(*progress.state);
        if (rules_.mean_score) {
            score /= progress.tree.resource_count();
        }
    } else if (!container.demands.empty() && !progress.tree.empty()) {
        request_.partition(container.demands, container.scorers, rules_.order);
        GroupSearch search(rules_, progress.tree, request_, maker_, memo_, fit.reasons);
        const GroupTry tried =
            search.allocate(*progress.state, container.name, container.init, progress.last);
        locations_tried_ += search.locations_tried();
        progress.state = tried.after;
        found = tried.found;
        score = tried.score;
        if (found) {
            resources = search.resources(tried);
        }
    } else if (!container.demands.empty()) {
        found = false;
        for (std::size_t i = 0; !rules_.reasons_of_single_candidate && i < container.demands.size();
             ++i) {
            const auto& [name, amount] = container.demands[i];
            fit.reasons.push_back({fmt::format("{}/{}", container.name, name), amount, 0, 0});
        }
    }
    fit.found = fit.found && found;
    if (found && !container.init) {
        fit.score = score;
    }
}

/// A given mapping is only charged: its hierarchy is not questioned.
bool GroupAllocator::charge_given(const GroupContainer& container, Progress& progress) {
    BERTH_ASSERT(container.allocate_from->size() == container.demands.size(),
                 "a mapping that is given says of each demand what serves it");
    std::vector<GroupReason>& reasons = progress.fit.reasons;
    const GroupTree& tree = progress.tree;
    bool all = true;
    std::map<std::uint32_t, Amount> totals;
    for (std::size_t i = 0; i < container.demands.size(); ++i) {
        const auto& [name, amount] = container.demands[i];
        const auto& resource = (*container.allocate_from)[i];
        if (!resource) {
            all = false;
            reasons.push_back({name, amount, 0, 0});
            continue;
        }
        BERTH_ASSERT(*resource < tree.resource_count(),
                     "a resource that is given is the machine's");
        const GroupScorer& scorer = *tree.resource(*resource).scorer;
        const auto [total, first] = totals.try_emplace(*resource, amount);
        total->second = first ? amount : scorer.total(total->second, amount);
    }
    const GroupState* before = progress.state;
    for (std::uint32_t resource = 0; resource < tree.resource_count(); ++resource) {
        const auto total = totals.find(resource);
        const Amount amount = total == totals.end() ? 0 : total->second;
        const GroupState* after =
            charge_at(*progress.state, tree.path(resource), amount, container.init, maker_);
        if (after != nullptr) {
            progress.state = after;
            continue;
        }
        all = false;
        const GroupUse& use = use_at(*progress.state, tree.path(resource));
        reasons.push_back(
            {tree.resource_name(resource), amount, use.node, tree.resource(resource).allocatable});
    }
    if (!all && !rules_.keeps_partial_mapping) {
        progress.state = before;
    }
    if (rules_.updates_unrequested) {
        progress.state = settle(*progress.state, container.init, maker_);
    }
    for (std::size_t i = 0; all && i < container.demands.size(); ++i) {
        progress.fit.allocate_from.back().push_back(*(*container.allocate_from)[i]);
    }
    return all;
}

std::vector<GroupCharge> group_charges(const GroupTree& tree,
                                       const GroupState& state,
                                       const GroupPod& pod,
                                       const GroupFit& fit,
                                       const GroupRules& rules) {
    BERTH_ASSERT(state.shape == &tree.root_shape(), "the state is of this machine");
    BERTH_ASSERT(fit.allocate_from.size() == pod.size(), "a fit says what serves each container");
    std::map<std::uint32_t, GroupCharge> charges;
    for (std::size_t c = 0; c < pod.size(); ++c) {
        BERTH_ASSERT(fit.allocate_from[c].size() <= pod[c].demands.size(),
                     "no more resources serve a container than it has demands");
        std::map<std::uint32_t, Amount> totals;  // the totals of this container
        const auto add = [&](std::uint32_t resource, Amount amount) {
            const auto [charge, first] = charges.try_emplace(
                resource, GroupCharge{resource, 0, use_at(state, tree.path(resource)).node});
            const GroupShape::Resource& of = tree.resource(resource);
            const GroupScore now = of.scorer->score(
                of.allocatable, charge->second.pod, charge->second.used, amount, pod[c].init);
            charge->second.pod = now.pod;
            charge->second.used = now.node;
        };
        for (std::size_t i = 0; i < fit.allocate_from[c].size(); ++i) {
            const std::uint32_t resource = fit.allocate_from[c][i];
            const Amount amount = pod[c].demands[i].second;
            if (rules.charges_init_stepwise) {
                add(resource, amount);
            } else {
                const auto [total, first] = totals.try_emplace(resource, amount);
                const GroupScorer& scorer = *tree.resource(resource).scorer;
                total->second = first ? amount : scorer.total(total->second, amount);
            }
        }
        for (const auto& [resource, amount] : totals) {
            add(resource, amount);
        }
    }
    std::vector<GroupCharge> out;
    for (const auto& [resource, charge] : charges) {
        out.push_back(charge);
    }
    return out;
}

}  // namespace berth::core
