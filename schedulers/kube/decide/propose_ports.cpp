#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "schedulers/kube/decide/proposals.hpp"

// Proposals for nodes on which the pod's host ports are taken.

namespace berth::core::kube {
namespace {

std::set<HostPort> taken(const std::vector<HostPort>& wanted, const NodeState& node) {
    std::set<HostPort> ports;
    for (const HostPort& port : wanted) {
        if (std::ranges::any_of(node.ports(),
                                [&](const HostPort& used) { return port.conflicts_with(used); })) {
            ports.insert(port);
        }
    }
    return ports;
}

/// Removes ports from containers, whose list stands at a path.
void remove_ports(const std::set<HostPort>& ports,
                  const char* path,
                  std::vector<Container>& containers,
                  std::vector<PatchStep>& steps) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
        for (std::size_t j = 0; j < containers[i].ports.size(); ++j) {
            HostPort& port = containers[i].ports[j];
            if (ports.contains(port)) {
                port.port = 0;
                steps.push_back(
                    {"remove", fmt::format("{}/{}/ports/{}/hostPort", path, i, j), {}, {}});
            }
        }
    }
}

Candidate do_without(const std::set<HostPort>& ports, const Pod& pod) {
    Candidate candidate{.field = ChangedField::host_ports, .parts = ports.size(), .pod = pod};
    remove_ports(ports, "/spec/containers", candidate.pod.containers, candidate.pod_steps);
    remove_ports(ports, "/spec/initContainers", candidate.pod.init_containers, candidate.pod_steps);
    std::vector<std::string> texts;
    for (const HostPort& port : ports) {
        texts.push_back(fmt::format("{}", port.port));
    }
    candidate.text = fmt::format(
        "do without the host port{} {}", ports.size() == 1 ? "" : "s", enumerate(texts));
    return candidate;
}

}  // namespace

void propose_ports(const Rejected& rejected, std::vector<Candidate>& proposals) {
    const std::vector<HostPort> wanted = host_ports(rejected.pod);
    NodesByObstacles<std::set<HostPort>> nodes;
    for (const std::size_t position : rejected.by("NodePorts")) {
        nodes[taken(wanted, rejected.cluster.nodes()[position])].push_back(position);
    }
    for (auto& [ports, positions] : by_size(nodes)) {
        proposals.push_back(do_without(ports, rejected.pod));
        proposals.back().among = std::move(positions);
    }
}

}  // namespace berth::core::kube
