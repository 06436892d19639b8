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

CountedPod::CountedPod(Pod object, SchedulerVersion version)
    : pod(std::move(object)),
      requests(
          amounts_of(requests_of(pod, {.otherwise = {}, .with_status = true, .version = version}))),
      non_zero(non_zero_requests(pod, version)),
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

NodeState::NodeState(const Node& node, std::size_t position)
    : node_(&node), position_(position), allocatable_(amounts_of(node.allocatable)) {}

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

Cluster::Cluster(ClusterObjects objects)
    : objects_(std::move(objects)),
      changes_(objects_.nodes.size()),
      claims_(objects_.devices != nullptr ? objects_.devices
                                          : std::make_shared<const DeviceInventory>()) {
    for (const std::size_t i : zone_order(objects_.nodes)) {
        index_.emplace(objects_.nodes[i].name, nodes_.size());
        nodes_.emplace_back(objects_.nodes[i], nodes_.size());
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

bool Cluster::has_nominated(std::int64_t priority) const {
    return std::ranges::any_of(nominated_, [&](const auto& waiting) {
        return std::ranges::any_of(
            waiting.second, [&](const CountedPod* pod) { return pod->pod.priority >= priority; });
    });
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

std::shared_ptr<const NodeLabel> Cluster::label(const std::string& key) const {
    if (const auto known = labels_.find(key); known != labels_.end()) {
        return known->second;
    }
    std::map<std::string_view, std::uint32_t> numbers;
    const auto value_of = [&](const NodeState& node) -> std::optional<std::string_view> {
        const auto found = node.node().labels.find(key);
        return found == node.node().labels.end() ? std::nullopt
                                                 : std::optional<std::string_view>(found->second);
    };
    for (const NodeState& node : nodes_) {
        if (const auto value = value_of(node)) {
            numbers.emplace(*value, NodeLabel::empty);
        }
    }
    const auto label = std::make_shared<NodeLabel>();
    for (auto& [value, number] : numbers) {
        number = value.empty() ? NodeLabel::empty : label->count++;
    }
    for (const NodeState& node : nodes_) {
        const auto value = value_of(node);
        label->of_node.push_back(value ? numbers.at(*value) : NodeLabel::missing);
    }
    constexpr std::size_t most = 256;
    if (labels_.size() == most) {
        labels_.clear();
    }
    labels_.emplace(key, label);
    return label;
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

const CountedPod& Cluster::keep(Pod pod) {
    auto kept = std::make_unique<const CountedPod>(std::move(pod), configuration().version);
    const CountedPod* const address = kept.get();
    return *pods_.emplace(address, std::move(kept)).first->second;
}

void Cluster::nominate(Pod pod) {
    ++version_;
    const CountedPod& waiting = keep(std::move(pod));
    nominated_[waiting.pod.nominated_node].push_back(&waiting);
}

void Cluster::withdraw(const std::string& uid) {
    for (auto node = nominated_.begin(); node != nominated_.end();) {
        std::erase_if(node->second, [&](const CountedPod* other) {
            const bool leaves = other->pod.uid == uid && pods_.erase(other) > 0;
            version_ += leaves ? 1 : 0;
            return leaves;
        });
        node = node->second.empty() ? nominated_.erase(node) : std::next(node);
    }
}

Node Cluster::exchange(std::size_t node, Node changed) {
    labels_.clear();
    claims_.forget(nodes_[node].node().name);
    const auto place = &nodes_[node].node() - objects_.nodes.data();
    return std::exchange(objects_.nodes[static_cast<std::size_t>(place)], std::move(changed));
}

const CountedPod& Cluster::place(Pod pod, std::size_t node) {
    ++version_;
    withdraw(pod.uid);
    const CountedPod& placed = keep(std::move(pod));
    nodes_[node].add(placed);
    changes_.add(node);
    for (auto& [query, counts] : counts_) {
        counts[node] += query.matches(placed.pod) ? 1 : 0;
    }
    count_terms(placed.pod, node, 1);
    return placed;
}

void Cluster::remove(const CountedPod& pod, std::size_t node) {
    ++version_;
    nodes_[node].remove(pod);
    changes_.add(node);
    for (auto& [query, counts] : counts_) {
        counts[node] -= query.matches(pod.pod) ? 1 : 0;
    }
    count_terms(pod.pod, node, -1);
    pods_.erase(&pod);
}

void Cluster::reserve_claims(const Pod& pod, std::size_t node, DeviceClaims::Reservation how) {
    if (!pod.claims.empty()) {
        ++version_;
        changes_.add(node);
        claims_.reserve(pod, nodes_[node].node(), how);
    }
}

void Cluster::release_claims(const Pod& pod) {
    if (!pod.claims.empty()) {
        ++version_;
        if (const auto node = find(pod.node_name)) {
            changes_.add(*node);
        }
        claims_.release(pod);
    }
}

void Cluster::deallocate(const Pod& pod, const PodClaim& claim) {
    ++version_;
    claims_.deallocate(pod, claim);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        changes_.add(node);
    }
}

std::unique_ptr<Cluster> Cluster::copy() const {
    ClusterObjects objects = objects_;
    objects.pods.clear();
    objects.nominated.clear();
    objects.devices = nullptr;  // those of the claims are copied
    auto same = std::make_unique<Cluster>(std::move(objects));
    for (const NodeState& node : nodes_) {
        for (const CountedPod* counted : node.pods()) {
            same->place(counted->pod, node.position());
        }
    }
    for (const auto& [node, waiting] : nominated_) {
        for (const CountedPod* counted : waiting) {
            same->nominate(counted->pod);
        }
    }
    same->claims_ = DeviceClaims(claims_);
    same->next_start = next_start;
    return same;
}

/// Counts the terms of a pod that comes to a node (1) or leaves it (-1).
void Cluster::count_terms(const Pod& pod, std::size_t node, int change) {
    for (const PodTerm& term : pod.required_anti_affinity) {
        repelling_terms_.add(term, node, change);
    }
    if (const std::int64_t hard = configuration().hard_pod_affinity_weight; hard > 0) {
        for (const PodTerm& term : pod.required_affinity) {
            scoring_terms_.add(term, node, change * hard);
        }
    }
    for (const auto& [term, weight] : pod.preferred_affinity) {
        scoring_terms_.add(term, node, change * weight);
    }
    for (const auto& [term, weight] : pod.preferred_anti_affinity) {
        scoring_terms_.add(term, node, -change * weight);
    }
}

}  // namespace berth::core::kube
