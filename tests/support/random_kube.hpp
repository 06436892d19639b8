#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"
#include "tests/support/dice.hpp"

// Random clusters of kube-scheduler's objects, with few kinds of everything, so that scores tie.

namespace berth::tests {

namespace kube = core::kube;

inline constexpr const char* kube_zone = "topology.kubernetes.io/zone";

template <class T, std::size_t size>
T one_of(Dice& dice, const std::array<T, size>& things) {
    return things[static_cast<std::size_t>(dice.roll(0, size - 1))];
}

inline core::Quantity billionths(std::int64_t number) {
    return core::Quantity{number} * 1'000'000'000;
}

inline kube::LabelSelector select_app(const std::string& app) {
    return kube::LabelSelector({{"app", core::LabelExpression::Operator::in, {app}}});
}

inline kube::PodTerm near_app(const std::string& app) {
    return {kube_zone, select_app(app), {"default"}, {}};
}

inline kube::NodeTerm label_term(const std::string& key,
                                 core::LabelExpression::Operator op,
                                 const std::vector<std::string>& values) {
    kube::NodeTerm term;
    term.conditions.expressions.push_back({key, op, values});
    return term;
}

/// `room`: about how many pods have room on the node.
inline kube::Node random_kube_node(Dice& dice, std::size_t number, std::int64_t room) {
    kube::Node node;
    node.name = "n" + std::to_string(number);
    node.labels = {{"kubernetes.io/hostname", node.name},
                   {kube_zone, std::to_string(dice.roll(1, 3))},
                   {"rack", std::to_string(number / 4)}};
    if (dice.chance(50)) {
        node.labels["disk"] = dice.chance(50) ? "ssd" : "hdd";
    }
    node.allocatable = {{"cpu", billionths(dice.roll(1, 3) * room)},
                        {"memory", billionths((dice.roll(1, 2) * room) << 32)},
                        {"pods", billionths(dice.chance(10) ? 1 : 110)},
                        {"nvidia.com/gpu", billionths(dice.chance(40) ? 4 : 0)}};
    if (dice.chance(15)) {
        node.taints.push_back({"spot", "", dice.chance(50) ? "NoSchedule" : "PreferNoSchedule"});
    }
    if (dice.chance(10)) {
        node.taints.push_back({"old", "", "PreferNoSchedule"});
    }
    if (dice.chance(30)) {
        node.images.push_back({{"train:v1"}, dice.roll(1, 3) << 29});
    }
    node.is_unschedulable = dice.chance(4);
    return node;
}

/// A cluster without pods. Some of its settings are those of Kubernetes.
inline kube::ClusterObjects random_kube_cluster(Dice& dice, std::size_t nodes) {
    kube::ClusterObjects objects;
    kube::Configuration& configuration = objects.configuration;
    configuration.percentage_of_nodes_to_score = one_of(dice, std::array{0, 5, 100});
    configuration.strategy = dice.chance(50) ? kube::ScoringStrategy::least_allocated
                                             : kube::ScoringStrategy::most_allocated;
    if (dice.chance(30)) {
        configuration.balanced_resources.emplace_back("nvidia.com/gpu");
    }
    if (dice.chance(30)) {
        configuration.weights = {dice.roll(0, 3),
                                 dice.roll(0, 3),
                                 dice.roll(0, 3),
                                 2,
                                 2,
                                 dice.roll(0, 3),
                                 dice.roll(0, 3)};
    }
    const std::int64_t room = dice.chance(50) ? 2 : 32;
    for (std::size_t i = 0; i < nodes; ++i) {
        objects.nodes.push_back(random_kube_node(dice, i, room));
    }
    if (dice.chance(30)) {
        objects.owners.push_back(
            {kube::PodOwner::Kind::service, "web", "default", select_app("web")});
        objects.owners.push_back(
            {kube::PodOwner::Kind::replica_set, "train", "default", select_app("train")});
    }
    return objects;
}

/// A pod that asks each node alone.
inline kube::Pod random_kube_pod(Dice& dice) {
    using core::LabelExpression;
    kube::Pod pod;
    pod.name_space = "default";
    pod.labels = {{"app", "train"}};
    kube::Container container;
    container.image = dice.chance(50) ? "train:v1" : "other";
    if (dice.chance(90)) {
        container.requests = {{"cpu", billionths(dice.roll(0, 4)) / 2},
                              {"memory", billionths(dice.roll(1, 2) << 30)}};
    }
    if (dice.chance(30)) {
        container.requests["nvidia.com/gpu"] = billionths(dice.roll(1, 2));
    }
    pod.containers.push_back(std::move(container));
    if (dice.chance(30)) {
        pod.tolerations.push_back({"spot", core::Toleration::Operator::exists, "", ""});
    }
    if (dice.chance(20)) {
        pod.node_selector.emplace()["disk"] = "ssd";
    }
    if (dice.chance(20)) {
        pod.required_nodes = {label_term("disk", LabelExpression::Operator::exists, {})};
    }
    if (dice.chance(30)) {
        pod.preferred_nodes.emplace();
        for (std::int64_t terms = dice.roll(0, 2); terms > 0; --terms) {
            const std::string zone = std::to_string(dice.roll(1, 4));
            pod.preferred_nodes->push_back(
                {label_term(kube_zone, LabelExpression::Operator::in, {zone}), dice.roll(1, 100)});
        }
    }
    return pod;
}

/// Gives a pod one constraint or two on how it spreads, over few domains or many.
inline void add_kube_spread(Dice& dice, kube::Pod& pod, bool is_hard) {
    for (std::int64_t constraints = dice.roll(1, 2); constraints > 0; --constraints) {
        pod.spread.push_back(
            {.topology_key =
                 one_of(dice, std::array{kube_zone, "kubernetes.io/hostname", "disk", "rack"}),
             .max_skew = dice.roll(1, 3),
             .min_domains = dice.chance(20) ? dice.roll(2, 4) : 1,
             .is_hard = is_hard,
             .honors_affinity = dice.chance(70),
             .honors_taints = dice.chance(30),
             .pods = dice.chance(10) ? kube::LabelSelector(std::vector<core::LabelExpression>())
                                     : select_app(dice.chance(80) ? "train" : "web")});
    }
}

/// Changes one thing of a pod that nodes may see.
inline void vary_kube_pod(Dice& dice, kube::Pod& pod) {
    kube::Container more;
    more.image = "other";
    more.requests = {{"cpu", billionths(1)}};
    switch (dice.roll(0, 9)) {
        case 0:
            pod.containers.front().requests["cpu"] += billionths(1);
            return;
        case 1:
            pod.containers.front().image = "train:v1";
            return;
        case 2:
            pod.containers.push_back(std::move(more));
            return;
        case 3:
            if (pod.init_containers.empty()) {
                pod.init_containers.push_back(std::move(more));
            } else {
                bool& is_sidecar = pod.init_containers.front().is_sidecar;
                is_sidecar = !is_sidecar;
            }
            return;
        case 4:
            pod.image_volumes.emplace_back("train:v1");
            return;
        case 5:
            pod.overhead["cpu"] += billionths(1);
            return;
        case 6:
            pod.pod_level_requests = {{"cpu", billionths(dice.roll(1, 3))}};
            return;
        case 7:
            pod.tolerations.push_back({"", core::Toleration::Operator::exists, "", ""});
            return;
        case 8:
            pod.node_selector.emplace()["disk"] = "hdd";
            return;
        default:
            pod.preferred_nodes.emplace().push_back(
                {label_term("disk", core::LabelExpression::Operator::exists, {}),
                 dice.roll(1, 100)});
    }
}

inline kube::PodTerm random_kube_term(Dice& dice) {
    kube::PodTerm term = near_app(one_of(dice, std::array{"train", "web", "db"}));
    term.topology_key =
        one_of(dice, std::array{kube_zone, "kubernetes.io/hostname", "disk", "rack"});
    return term;
}

/// Gives a pod a term about other pods.
inline void add_kube_term(Dice& dice, kube::Pod& pod) {
    const kube::PodTerm term = random_kube_term(dice);
    switch (dice.roll(0, 3)) {
        case 0:
            pod.required_affinity.push_back(term);
            return;
        case 1:
            pod.required_anti_affinity.push_back(term);
            return;
        case 2:
            pod.preferred_affinity.push_back({term, 5});
            return;
        default:
            pod.preferred_anti_affinity.push_back({term, 5});
    }
}

/// Gives a pod something by which other pods, or the names of nodes, count.
inline void add_kube_company(Dice& dice, kube::Pod& pod) {
    using core::LabelExpression;
    switch (dice.roll(0, 10)) {
        case 0:
            pod.labels = {{"app", "web"}};  // a service may select it
            return;
        case 1:
            add_kube_spread(dice, pod, dice.chance(70));
            return;
        case 2:
            pod.containers.front().ports = {{"0.0.0.0", "TCP", 80}};
            return;
        case 3:
            pod.required_nodes.emplace(1).front().conditions.fields.push_back(
                {"metadata.name", LabelExpression::Operator::in, {"n1"}});
            return;
        case 4: {
            kube::NodeTerm bad = label_term("-", LabelExpression::Operator::exists, {});
            bad.fault = "no label has such a key";
            pod.preferred_nodes.emplace().push_back({bad, dice.roll(0, 1)});
            return;
        }
        case 5:
            pod.labels = {{"app", "db"}};  // a running pod may repel it
            return;
        case 6:
            pod.name_space = "lab";
            return;
        case 7:
            pod.controller = kube::Owner{"apps/v1", "ReplicaSet", "train"};
            return;
        case 8:
            pod.node_name = "n1";
            return;
        case 9:
            pod.statuses[pod.containers.front().name].requests = {{"cpu", billionths(2)}};
            return;
        default:
            add_kube_term(dice, pod);
    }
}

}  // namespace berth::tests
