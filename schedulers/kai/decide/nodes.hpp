#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedulers/kai/decide/pod.hpp"

namespace berth::core::kai {

/// Nodes in the order of a list.
using NodeSet = std::vector<NodeIndex>;

/// What does not change of a node.
struct NodeSpec {
    std::string name;
    Vector allocatable{};
    std::map<std::string, std::string> labels;
};

/// What of a node is in use.
struct Node {
    Vector allocatable{};
    Vector idle{};
    /// What pods that leave will give back, less what waits for it. It is negative where a pod
    /// waits for what is idle.
    Vector releasing{};
    Vector free{};  ///< idle + releasing

    explicit Node(const Vector& all) : allocatable(all), idle(all), free(all) {}

    /// Counts a pod, unless it is counted here already.
    void add(NodeIndex self, Pod& pod);
    void remove(NodeIndex self, Pod& pod);
    /// Counts a pod with its present status.
    void update(NodeIndex self, Pod& pod);
    [[nodiscard]] static bool lists(NodeIndex self, const Pod& pod);

private:
    void charge(const Pod& pod, Status status, double sign);
};

}  // namespace berth::core::kai
