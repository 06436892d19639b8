#include "schedulers/kube/decide/cluster.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core::kube {
namespace {

std::string label_of(const Labels& labels, const char* key, const char* old_key) {
    const auto found = labels.find(key);
    if (found != labels.end() && !found->second.empty()) {
        return found->second;
    }
    const auto old = labels.find(old_key);
    return old == labels.end() ? std::string() : old->second;
}

/// The positions of nodes in the order of the snapshot: the first node of each zone, then the
/// second of each, and so on. Zones are in the order of their first nodes.
std::vector<std::size_t> zone_order(const std::vector<Node>& nodes) {
    std::vector<std::vector<std::size_t>> zones;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Labels& labels = nodes[i].labels;
        const std::pair key(
            label_of(labels,
                     "topology.kubernetes.io/region",
                     "failure-domain.beta.kubernetes.io/region"),
            label_of(
                labels, "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"));
        const auto [zone, is_new] = known.try_emplace(key, zones.size());
        if (is_new) {
            zones.emplace_back();
        }
        zones[zone->second].push_back(i);
    }
    std::vector<std::size_t> order;
    for (std::size_t round = 0; order.size() < nodes.size(); ++round) {
        for (const std::vector<std::size_t>& zone : zones) {
            if (round < zone.size()) {
                order.push_back(zone[round]);
            }
        }
    }
    return order;
}

}  // namespace

CountedPod::CountedPod(Pod object)
    : pod(std::move(object)),
      requests(amounts_of(requests_of(pod, RequestRules{.otherwise = {}, .with_status = true}))),
      non_zero(non_zero_requests(pod)),
      ports(host_ports(pod)) {}

std::vector<HostPort> host_ports(const Pod& pod) {
    std::vector<HostPort> ports;
    const auto add = [&](const Container& container) {
        std::ranges::copy_if(container.ports, std::back_inserter(ports), [](const HostPort& port) {
            return port.port > 0;
        });
    };
    for (const Container& container : pod.init_containers) {
        if (container.is_sidecar) {
            add(container);
        }
    }
    std::ranges::for_each(pod.containers, add);
    return ports;
}

NodeState::NodeState(const Node& node) : node_(&node), allocatable_(amounts_of(node.allocatable)) {}

void NodeState::add(const CountedPod& pod) {
    pods_.push_back(&pod);
    requested_.add(pod.requests, 1);
    non_zero_.cpu += pod.non_zero.cpu;
    non_zero_.memory += pod.non_zero.memory;
    ports_.insert(pod.ports.begin(), pod.ports.end());
}

void NodeState::remove(const CountedPod& pod) {
    const auto found = std::ranges::find(pods_, &pod);
    BERTH_ASSERT(found != pods_.end(), "a pod leaves the node on which it runs");
    *found = pods_.back();
    pods_.pop_back();
    requested_.add(pod.requests, -1);
    non_zero_.cpu -= pod.non_zero.cpu;
    non_zero_.memory -= pod.non_zero.memory;
    for (const HostPort& port : pod.ports) {
        ports_.erase(port);
    }
}

Cluster::Cluster(ClusterObjects objects) : objects_(std::move(objects)) {
    for (const std::size_t i : zone_order(objects_.nodes)) {
        index_.emplace(objects_.nodes[i].name, nodes_.size());
        nodes_.emplace_back(objects_.nodes[i]);
    }
    for (Pod& pod : objects_.pods) {
        if (const auto node = index_.find(pod.node_name); node != index_.end()) {
            place(std::move(pod), node->second);
        }
    }
    for (Pod& pod : objects_.nominated) {
        nominate(std::move(pod));
    }
    count_images();
}

void Cluster::count_images() {
    for (const Node& node : objects_.nodes) {
        std::set<std::string> listed;
        for (const Image& image : node.images) {
            for (const std::string& name : image.names) {
                ImageState& state =
                    images_.try_emplace(name, ImageState{image.size, 0}).first->second;
                state.nodes += listed.insert(name).second ? 1 : 0;
            }
        }
    }
}

std::optional<std::size_t> Cluster::find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<const CountedPod*>& Cluster::nominated_to(const std::string& node) const {
    static const std::vector<const CountedPod*> none;
    const auto found = nominated_.find(node);
    return found == nominated_.end() ? none : found->second;
}

const Labels& Cluster::namespace_labels(const std::string& name_space) const {
    static const Labels none;
    const auto found = objects_.namespaces.find(name_space);
    return found == objects_.namespaces.end() ? none : found->second;
}

bool PodQuery::matches(const Pod& pod) const {
    return !(without_terminating && pod.is_terminating) &&
           std::ranges::all_of(parts, [&](const Part& part) {
               return (part.in_every_namespace || part.namespaces.contains(pod.name_space)) &&
                      part.pods.matches(pod.labels);
           });
}

const std::vector<std::int64_t>& Cluster::count(const PodQuery& query) {
    if (const auto known = counts_.find(query); known != counts_.end()) {
        return known->second;
    }
    constexpr std::size_t most = 1024;
    if (counts_.size() == most) {
        counts_.clear();
    }
    std::vector<std::int64_t>& counts = counts_[query];
    for (const NodeState& node : nodes_) {
        counts.push_back(std::ranges::count_if(
            node.pods(), [&](const CountedPod* pod) { return query.matches(pod->pod); }));
    }
    return counts;
}

void Cluster::nominate(Pod pod) {
    ++changes_;
    const CountedPod& waiting = pods_.emplace_back(std::move(pod));
    nominated_[waiting.pod.nominated_node].push_back(&waiting);
}

void Cluster::withdraw(const std::string& uid) {
    for (auto& [node, pods] : nominated_) {
        changes_ +=
            std::erase_if(pods, [&](const CountedPod* other) { return other->pod.uid == uid; });
    }
}

Node Cluster::exchange(std::size_t node, Node changed) {
    const auto place = &nodes_[node].node() - objects_.nodes.data();
    return std::exchange(objects_.nodes[static_cast<std::size_t>(place)], std::move(changed));
}

void Cluster::place(Pod pod, std::size_t node) {
    ++changes_;
    withdraw(pod.uid);
    const CountedPod& placed = pods_.emplace_back(std::move(pod));
    nodes_[node].add(placed);
    for (auto& [query, counts] : counts_) {
        counts[node] += query.matches(placed.pod) ? 1 : 0;
    }
    if (placed.pod.has_pod_affinity) {
        pods_with_affinity_.push_back({&placed, node});
    }
    if (!placed.pod.required_anti_affinity.empty()) {
        pods_with_anti_affinity_.push_back({&placed, node});
    }
}

}  // namespace berth::core::kube
