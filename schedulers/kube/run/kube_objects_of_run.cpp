#include "schedulers/kube/run/kube_objects_of_run.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/tree/level_of_label.hpp"

namespace berth::sim {
namespace {

namespace kube = core::kube;

constexpr core::Quantity billion = 1'000'000'000;
constexpr int pods_of_a_node = 110;

std::string name_in_kubernetes(const core::ResourceSchema& schema, std::size_t resource) {
    const std::string& name = schema.name(resource);
    if (name == "cpu" || name == "memory" || name == "pods" || kube::is_scalar(name) ||
        name == "ephemeral-storage") {
        return name;
    }
    return fmt::format("{}/{}", schema.is_gpu(resource) ? "nvidia.com" : "berth", name);
}

std::string label_of_level(const std::string& level) {
    return level == "zone" || level == "region" ? "topology.kubernetes.io/" + level : level;
}

}  // namespace

std::vector<KubeNode> nodes_of(const core::Topology& tree) {
    std::vector<KubeNode> nodes;
    std::vector<core::Labels> labels = tree.labels().by_node();
    labels.resize(tree.server_count());
    for (const core::NodeId place : tree.level_nodes(tree.server_level())) {
        const core::ServerId server = tree.server_of(place);
        const core::MachineType& machine = tree.machine_type(server);
        kube::Node node;
        node.name = tree.name(place);
        node.labels = std::move(labels[server.index]);
        node.labels.insert(machine.labels.begin(), machine.labels.end());
        node.labels.emplace(core::hostname_label, node.name);
        for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
            node.labels.emplace(label_of_level(tree.level_name(core::Level{level})),
                                tree.name(tree.ancestor(place, core::Level{level})));
        }
        node.allocatable = quantities_of(
            tree.resources(),
            {machine.capacity.data(), static_cast<std::size_t>(machine.capacity.size())});
        if (!tree.resources().find("pods")) {
            node.allocatable.emplace("pods", pods_of_a_node * billion);
        }
        nodes.push_back({std::move(node), server});
    }
    return nodes;
}

core::Quantities quantities_of(const core::ResourceSchema& schema,
                               std::span<const core::Amount> amounts) {
    core::Quantities quantities;
    for (std::size_t resource = 0; resource < amounts.size(); ++resource) {
        if (amounts[resource] > 0) {
            quantities[name_in_kubernetes(schema, resource)] =
                amounts[resource] * (billion / schema.per_unit(resource));
        }
    }
    return quantities;
}

const KubePodTemplate* template_in(const Job& job) {
    return job.nodes == nullptr ? nullptr
                                : dynamic_cast<const KubePodTemplate*>(job.nodes->pod_template());
}

kube::Pod pod_of(const Job& job, const core::ResourceSchema& schema) {
    kube::Pod pod;
    if (const KubePodTemplate* known = template_in(job)) {
        pod = known->pod;
    }
    pod.name = job.name;
    if (!job.name_space.text().empty()) {
        pod.name_space = job.name_space.text();
    } else if (pod.name_space.empty()) {
        pod.name_space = "default";
    }
    pod.priority = job.priority;
    pod.containers = {{.name = "main",
                       .image = "",
                       .requests = quantities_of(schema, {job.demand.data(), job.demand.size()}),
                       .ports = {},
                       .is_sidecar = false}};
    return pod;
}

}  // namespace berth::sim
