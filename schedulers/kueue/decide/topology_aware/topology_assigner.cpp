#include "schedulers/kueue/decide/topology_aware/topology_assigner.hpp"

#include <fmt/format.h>
#include <string_view>

#include <algorithm>
#include <map>
#include <utility>

#include "schedulers/kueue/decide/amounts.hpp"

namespace berth::core::kueue {
namespace {

std::int64_t pods_of(const TopologyAssignment& assignment) {
    std::int64_t pods = 0;
    for (const TopologyAssignment::Domain& domain : assignment.domains) {
        pods += domain.count;
    }
    return pods;
}

/// The assignment of only the first pods.
TopologyAssignment truncated(TopologyAssignment assignment, std::int64_t pods) {
    for (TopologyAssignment::Domain& domain : assignment.domains) {
        domain.count = std::min(domain.count, pods);
        pods -= domain.count;
    }
    std::erase_if(assignment.domains,
                  [](const TopologyAssignment::Domain& domain) { return domain.count <= 0; });
    return assignment;
}

}  // namespace

std::vector<PodSetPlacement> TopologyAssigner::assign(std::span<const TopologyPodSet> sets) {
    for (const Group& group : groups(sets)) {
        const bool placed = workload_.unhealthy_nodes.empty()
                                ? assign_group(group)
                                : std::ranges::all_of(group, [&](const TopologyPodSet* set) {
                                      return replace_in(*set);
                                  });
        if (!placed) {
            break;
        }
    }
    return std::move(placements_);
}

std::vector<TopologyAssigner::Group> TopologyAssigner::groups(
    std::span<const TopologyPodSet> sets) {
    std::vector<Group> groups;
    std::map<std::string_view, std::size_t> by_name;
    for (const TopologyPodSet& set : sets) {
        if (!set.group) {
            groups.push_back({&set});
            continue;
        }
        const auto [group, fresh] = by_name.try_emplace(*set.group, groups.size());
        if (fresh) {
            groups.emplace_back();
        }
        groups[group->second].push_back(&set);
    }
    return groups;
}

bool TopologyAssigner::assign_group(const Group& group) {
    const TopologyPodSet* workers = group.front();
    const TopologyPodSet* leader = group.size() > 1 ? group[1] : nullptr;
    if (leader != nullptr && leader->count > workers->count) {
        std::swap(workers, leader);
    }
    if (is_elastic(*workers, leader)) {
        return assign_elastic(*workers, leader);
    }
    TopologyPlacement placement = placer_.place(task(*workers, leader));
    if (!placement.failure.empty()) {
        return fail(group, placement.failure);
    }
    if (leader != nullptr) {
        assume(*placement.leader, *leader);
        succeed(*leader, std::move(*placement.leader));
    }
    assume(placement.workers, *workers);
    succeed(*workers, std::move(placement.workers));
    return true;
}

bool TopologyAssigner::is_elastic(const TopologyPodSet& workers,
                                  const TopologyPodSet* leader) const {
    if (!snapshot_.gate(FeatureGate::elastic_jobs_with_topology) || !workers.previous ||
        stale(*workers.previous)) {
        return false;
    }
    if (leader != nullptr && leader->previous && stale(*leader->previous)) {
        return false;
    }
    // A slice that does not grow has no room for a leader that has no place yet.
    const bool grows = workers.count > pods_of(*workers.previous);
    return leader == nullptr || leader->previous || grows;
}

bool TopologyAssigner::assign_elastic(const TopologyPodSet& workers, const TopologyPodSet* leader) {
    if (workers.request.required || workers.request.preferred) {
        return fail({&workers},
                    fmt::format("{} topology is not supported with ElasticJobsViaWorkloadSlices",
                                workers.request.required ? "required" : "preferred"));
    }
    const std::int64_t more = workers.count - pods_of(*workers.previous);
    if (more > 0) {
        return grow(workers, leader, more);
    }
    TopologyAssignment kept = truncated(*workers.previous, workers.count);
    assume(kept, workers);
    succeed(workers, std::move(kept));
    if (leader != nullptr) {
        assume(*leader->previous, *leader);
        succeed(*leader, *leader->previous);
    }
    return true;
}

bool TopologyAssigner::grow(const TopologyPodSet& workers,
                            const TopologyPodSet* leader,
                            std::int64_t more) {
    const bool keeps_leader = leader != nullptr && leader->previous;
    assume(*workers.previous, workers);
    if (keeps_leader) {
        assume(*leader->previous, *leader);
    }
    TopologyPodSet delta = workers;
    delta.count = more;
    TopologyPlacement placement = placer_.place(task(delta, keeps_leader ? nullptr : leader));
    if (!placement.failure.empty()) {
        return fail({&workers}, placement.failure);
    }
    if (leader != nullptr) {
        TopologyAssignment of_leader = keeps_leader ? *leader->previous : *placement.leader;
        if (!keeps_leader) {
            assume(of_leader, *leader);
        }
        succeed(*leader, std::move(of_leader));
    }
    assume(placement.workers, workers);
    succeed(workers, merged(placement.workers, *workers.previous));
    return true;
}

bool TopologyAssigner::replace_in(const TopologyPodSet& set) {
    const auto held = std::ranges::find(
        workload_.admission, set.name, [](const auto& entry) { return entry.first; });
    if (held == workload_.admission.end()) {
        return true;
    }
    TopologyAssignment assignment = held->second;
    if (!workload_.owned_by_single_pod || !snapshot_.gate(FeatureGate::skip_pod_owned)) {
        if (const std::string failure = replace(set, assignment); !failure.empty()) {
            return fail({&set}, failure);
        }
    }
    succeed(set, std::move(assignment));
    return true;
}

std::string TopologyAssigner::replace(const TopologyPodSet& set, TopologyAssignment& assignment) {
    const std::string& failed = workload_.unhealthy_nodes.front();
    TopologyPodSet moved = set;
    moved.count = 0;
    std::erase_if(assignment.domains, [&](const TopologyAssignment::Domain& domain) {
        const bool gone = domain.values.back() == failed;
        moved.count = gone ? domain.count : moved.count;
        return gone;
    });
    if (const auto value = stale(assignment)) {
        return fmt::format(
            "Cannot replace the node, because the existing topologyAssignment is "
            "invalid, as it contains the stale domain {}",
            *value);
    }
    PlacementTask moving = task(moved, nullptr);
    moving.empty = false;
    moving.within = replacement_domain(set, assignment, moved.count);
    std::vector<SliceLayer>& layers = moved.request.layers;
    if (!layers.empty() && layers.front().size <= 0) {
        return placer_.place(moving).failure;
    }
    if (!layers.empty() && moving.within.domain && moved.count % layers.front().size != 0) {
        const auto divides = [&](const SliceLayer& layer) { return moved.count % layer.size == 0; };
        const auto layer = std::find_if(layers.rbegin(), layers.rend(), divides);
        layers =
            layer == layers.rend() ? std::vector<SliceLayer>() : std::vector<SliceLayer>{*layer};
    }
    const TopologyPlacement placement = placer_.place(moving);
    if (!placement.failure.empty()) {
        return placement.failure;
    }
    if (placement.workers.domains.empty()) {
        return fmt::format("cannot find replacement assignment for unhealthy node: {}", failed);
    }
    assume(placement.workers, set);
    assignment = merged(placement.workers, assignment);
    return "";
}

RequiredDomain TopologyAssigner::replacement_domain(const TopologyPodSet& set,
                                                    const TopologyAssignment& kept,
                                                    std::int64_t lost) const {
    const auto label = requested_level(set, snapshot_);
    const auto level = label ? snapshot_.find_level(*label) : std::nullopt;
    if (!level || kept.domains.empty()) {
        return {};
    }
    const std::vector<SliceLayer>& layers = set.request.layers;
    if (!layers.empty() && layers.front().size > 0 && lost % layers.front().size != 0) {
        const auto cut = std::find_if(layers.rbegin(), layers.rend(), [&](const SliceLayer& layer) {
            return lost % layer.size != 0;
        });
        return {incomplete_domain(kept, lost, *cut)};
    }
    if (!set.request.required) {
        return {};
    }
    return {snapshot_.ancestor(*snapshot_.find_leaf(kept.domains.front().values), *level)};
}

std::optional<NodeId> TopologyAssigner::incomplete_domain(const TopologyAssignment& kept,
                                                          std::int64_t lost,
                                                          const SliceLayer& layer) const {
    const auto level = snapshot_.find_level(layer.topology);
    if (!level) {
        return std::nullopt;
    }
    // The domains by their texts, in the order in which the first suitable one is taken.
    std::map<std::string, std::pair<NodeId, std::int64_t>> domains;
    for (const TopologyAssignment::Domain& part : kept.domains) {
        const NodeId domain = snapshot_.ancestor(*snapshot_.find_leaf(part.values), *level);
        const std::string text = TopologySnapshot::joined(snapshot_.tree().is_server(domain)
                                                              ? snapshot_.leaf_values(domain)
                                                              : snapshot_.values(domain));
        domains.try_emplace(text, domain, 0).first->second.second += part.count;
    }
    const auto found = std::ranges::find_if(
        domains, [&](const auto& entry) { return (entry.second.second + lost) % layer.size == 0; });
    return found == domains.end() ? std::nullopt : std::optional(found->second.first);
}

std::optional<std::string> TopologyAssigner::stale(const TopologyAssignment& assignment) const {
    const auto found = std::ranges::find_if(assignment.domains, [&](const auto& domain) {
        return !snapshot_.find_leaf(domain.values);
    });
    return found == assignment.domains.end() ? std::nullopt : std::optional(found->values.front());
}

TopologyAssignment TopologyAssigner::merged(const TopologyAssignment& a,
                                            const TopologyAssignment& b) const {
    std::map<NodeId, std::int64_t> counts;
    for (const TopologyAssignment* part : {&a, &b}) {
        for (const TopologyAssignment::Domain& domain : part->domains) {
            counts[*snapshot_.find_leaf(domain.values)] += domain.count;
        }
    }
    TopologyAssignment all{a.levels, {}};
    for (const auto& [leaf, count] : counts) {
        all.domains.push_back({snapshot_.leaf_values(leaf), count});
    }
    return all;
}

void TopologyAssigner::assume(const TopologyAssignment& assignment, const TopologyPodSet& set) {
    for (const TopologyAssignment::Domain& domain : assignment.domains) {
        const auto leaf = snapshot_.find_leaf(domain.values);
        if (!leaf) {
            continue;
        }
        std::vector<Amount>& sums = assumed_[*leaf];
        sums.resize(set.requests.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = plus(sums[i], times(set.requests[i], domain.count));
        }
    }
}

PlacementTask TopologyAssigner::task(const TopologyPodSet& workers,
                                     const TopologyPodSet* leader) const {
    return {workers, leader, assumed_, empty_, {}, workload_.uid};
}

void TopologyAssigner::succeed(const TopologyPodSet& set, TopologyAssignment assignment) {
    placements_.push_back({set.name, std::move(assignment), ""});
}

bool TopologyAssigner::fail(const Group& group, const std::string& reason) {
    for (const TopologyPodSet* set : group) {
        placements_.push_back({set->name, std::nullopt, reason});
    }
    return false;
}

}  // namespace berth::core::kueue
