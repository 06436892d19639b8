#include "schedulers/kube/run/gang_inquiry.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace berth::sim {
namespace {

namespace kube = core::kube;

/// The largest share of what the largest node has of one resource.
double size_of(const kube::Pod& pod, const kube::Cluster& cluster) {
    double largest = 0;
    for (const auto& [resource, amount] : kube::requests_of(pod, {})) {
        const core::Quantity asked = kube::in_units(resource, amount);
        core::Quantity most = 0;
        for (const kube::NodeState& node : cluster.nodes()) {
            most = std::max(most, node.allocatable().of(resource));
        }
        if (most > 0) {
            largest = std::max(largest, static_cast<double>(asked) / static_cast<double>(most));
        }
    }
    return largest;
}

/// How many nodes are feasible for a pod while none of its gang has a node.
std::size_t nodes_for(const kube::Pod& pod, kube::Cluster& cluster) {
    try {
        return kube::find_feasible(pod, cluster).nodes.size();
    } catch (const kube::CycleError&) {
        return 0;
    }
}

std::vector<std::string> names_of(const std::vector<const kube::CountedPod*>& pods) {
    std::vector<std::string> names;
    std::ranges::transform(
        pods, std::back_inserter(names), [](const auto* counted) { return counted->pod.name; });
    return names;
}

/// The pods in another order, those with the least `rank` first.
kube::Gang ordered_by(const kube::Gang& gang, const std::function<double(const kube::Pod&)>& rank) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < gang.pods.size(); ++i) {
        order.emplace_back(rank(gang.pods[i].pod), i);
    }
    std::ranges::sort(order);
    kube::Gang other = gang;
    std::ranges::transform(
        order, other.pods.begin(), [&](const auto& place) { return gang.pods[place.second]; });
    other.preemption = kube::GangPreemption::none;
    return other;
}

/// Whether the gang starts with as many pods of the job as that lacks.
bool starts(const kube::Gang& gang,
            const GangInquiry::Asked& asked,
            kube::Cluster& cluster,
            kube::Decider& decider) {
    const kube::GangCycle cycle = kube::try_gang(gang, cluster, decider);
    std::size_t found = 0;
    for (std::size_t i = 0; i < gang.pods.size(); ++i) {
        const bool is_placed = cycle.members[i].node.has_value();
        found += is_placed && asked.pods.contains(gang.pods[i].pod.uid) ? 1 : 0;
    }
    return cycle.outcome == kube::GangCycle::Outcome::placed && found >= asked.lacks;
}

/// The largest minCount with which the job would start; 0 if there is none.
std::size_t find_enough(kube::Gang gang,
                        const GangInquiry::Asked& asked,
                        kube::Cluster& cluster,
                        kube::Decider& decider) {
    gang.preemption = kube::GangPreemption::none;
    const std::size_t begin = cluster.next_start;
    const kube::GangCycle cycle = kube::try_gang(gang, cluster, decider);
    const auto fitting = static_cast<std::size_t>(std::ranges::count_if(
        cycle.members, [](const auto& member) { return member.node.has_value(); }));
    gang.min_count = std::min(gang.min_count - 1, gang.placed + fitting);
    cluster.next_start = begin;
    return fitting > 0 && starts(gang, asked, cluster, decider) ? gang.min_count : 0;
}

}  // namespace

GangInquiry::GangInquiry(const kube::Gang& gang,
                         const kube::GangCycle& cycle,
                         const Asked& asked,
                         kube::Cluster& cluster,
                         kube::Decider& decider)
    : placed(gang.placed),
      min_count(gang.min_count),
      outcome(cycle.outcome),
      message(cycle.message),
      victims(names_of(cycle.victims)) {
    for (std::size_t i = 0; i < gang.pods.size(); ++i) {
        const kube::GangMember& found = cycle.members[i];
        Member member{gang.pods[i].pod.name, "", found.message, {}, found.is_tried};
        if (found.node) {
            member.node = cluster.nodes()[*found.node].node().name;
        }
        if (found.preempts) {
            member.victims = names_of(found.preempts->victims);
        }
        members.push_back(std::move(member));
    }
    const std::size_t begin = cluster.next_start;
    const std::vector<std::function<double(const kube::Pod&)>> ranks = {
        [&](const kube::Pod& pod) { return -size_of(pod, cluster); },
        [&](const kube::Pod& pod) { return static_cast<double>(nodes_for(pod, cluster)); }};
    for (auto rank = ranks.begin(); order.empty() && rank != ranks.end(); ++rank) {
        const kube::Gang other = ordered_by(gang, *rank);
        cluster.next_start = begin;
        if (starts(other, asked, cluster, decider)) {
            std::ranges::transform(other.pods, std::back_inserter(order), [](const auto& member) {
                return member.pod.name;
            });
        }
    }
    cluster.next_start = begin;
    enough = find_enough(gang, asked, cluster, decider);
    cluster.next_start = begin;
}

}  // namespace berth::sim
