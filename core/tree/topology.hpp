#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/ids.hpp"
#include "core/tree/node_labels.hpp"
#include "core/tree/resource_provider.hpp"
#include "core/tree/resources.hpp"

namespace berth::core {

/// The devices of one kind inside a machine. Per-device lists have `count` entries or none.
struct DeviceGroup {
    std::string kind;  ///< `gpu`, `rdma`, ...
    std::int64_t count = 0;
    std::string model;
    Amount memory_bytes = 0;  ///< The memory of one device.
    std::vector<std::int64_t> numa;
    std::vector<std::int64_t> pcie;
    std::vector<std::vector<std::int64_t>> nvlink;  ///< Islands: lists of device indices.
    std::int64_t virtual_functions = 0;  ///< The number of virtual functions of one device.
    /// The traits of the resource provider of each device.
    std::vector<std::vector<std::string>> traits{};

    friend bool operator==(const DeviceGroup&, const DeviceGroup&) = default;
};

struct MachineDevices;

/// The inside of a server, described once and shared by all servers of the type.
struct MachineType {
    std::string name;
    Amounts capacity;  ///< The capacity of each resource, by the topology's schema.
    std::vector<DeviceGroup> devices;
    /// The servers' Device object, if there is one: it says more than `devices`.
    std::shared_ptr<const MachineDevices> device_object{};
    std::int64_t numa_nodes = 0;  ///< NUMA nodes, which share CPUs and memory evenly; 0: not told.
    std::vector<std::string> traits{};  ///< The traits of the server's resource provider.
    Labels labels{};                    ///< The labels that each server of the type has.
};

/// Resources that the servers below each node of a level share, with one resource provider for
/// each such node.
struct SharedProvider {
    std::string name;  ///< The providers are named `NAME_NODE` after it.
    Level level;       ///< A level above the servers.
    /// The inventory of each resource class, by its name.
    std::map<std::string, ProviderInventory> inventories;
    std::vector<std::string> traits;

    friend bool operator==(const SharedProvider&, const SharedProvider&) = default;
};

/// A half-open range of nodes, as `for (NodeId node : tree.children(parent))` wants it.
[[nodiscard]] inline auto node_range(std::uint32_t begin, std::uint32_t end) {
    return std::views::iota(begin, end) |
           std::views::transform([](std::uint32_t index) { return NodeId{index}; });
}

class TopologyBuilder;

/// The physical tree: a root (the cluster), named levels below it, servers at the last level, all
/// at the same depth.
///
/// Shape:  nodes are numbered breadth-first, so that a node's children and each level are one
///         contiguous range. Level 0 is the root alone. A tree never changes once built.
/// Cost:   O(1) or O(depth), except servers_by_name(); about 40 bytes a node with its name.
/// Source: Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021),
///         "pTree"; core/tree/topology_graph.hpp shows the same tree to Boost.Graph.
class Topology {
public:
    [[nodiscard]] std::size_t level_count() const { return level_names_.size(); }
    [[nodiscard]] const std::vector<std::string>& level_names() const { return level_names_; }
    [[nodiscard]] const std::string& level_name(Level level) const {
        return level_names_[level.index];
    }
    [[nodiscard]] std::optional<Level> find_level(std::string_view name) const;
    [[nodiscard]] Level server_level() const {
        return Level{static_cast<std::uint32_t>(level_count() - 1)};
    }

    [[nodiscard]] std::uint32_t node_count() const { return level_begin_.back(); }
    [[nodiscard]] std::uint32_t server_count() const {
        return node_count() - level_begin_[level_count() - 1];
    }
    [[nodiscard]] NodeId root() const { return NodeId{0}; }
    [[nodiscard]] std::uint32_t level_size(Level level) const {
        return level_begin_[level.index + 1] - level_begin_[level.index];
    }
    [[nodiscard]] auto level_nodes(Level level) const {
        return node_range(level_begin_[level.index], level_begin_[level.index + 1]);
    }
    [[nodiscard]] Level level_of(NodeId node) const;

    /// The parent of a node other than the root.
    [[nodiscard]] NodeId parent(NodeId node) const { return NodeId{parent_[node.index]}; }
    /// Makes the processor fetch what parent() reads.
    [[gnu::always_inline]] void fetch_parent(NodeId node) const {
        __builtin_prefetch(&parent_[node.index]);
    }
    [[nodiscard]] bool is_server(NodeId node) const { return node.index >= first_server(); }
    [[nodiscard]] std::uint32_t child_begin(NodeId inner) const {
        BERTH_AUDIT(!is_server(inner), "a server has no children");
        return child_begin_[inner.index];
    }
    [[nodiscard]] std::uint32_t child_end(NodeId inner) const {
        return child_begin_[inner.index + 1];
    }
    /// The children of any node; a server has none.
    [[nodiscard]] auto children(NodeId node) const {
        return is_server(node) ? node_range(0, 0) : node_range(child_begin(node), child_end(node));
    }
    /// The ancestor at `level`, which is the node's own level or above it.
    [[nodiscard]] NodeId ancestor(NodeId node, Level level) const;

    [[nodiscard]] ServerId server_of(NodeId node) const {
        BERTH_AUDIT(is_server(node), "the node is a server");
        return ServerId{node.index - first_server()};
    }
    [[nodiscard]] NodeId node_of(ServerId server) const {
        return NodeId{server.index + first_server()};
    }

    [[nodiscard]] std::string_view name(NodeId node) const;
    /// Makes the processor fetch a node's name.
    [[gnu::always_inline]] void fetch_name(NodeId node) const {
        __builtin_prefetch(names_.data() + name_begin_[node.index]);
    }
    /// The names from the root down, joined by `/`.
    [[nodiscard]] std::string path(NodeId node) const;
    /// Every server by its name, for readers of files that name servers. A name that occurs twice
    /// leads to the first server with it. The views point into this tree.
    /// Cost: O(servers).
    [[nodiscard]] std::unordered_map<std::string_view, ServerId> servers_by_name() const;

    [[nodiscard]] const ResourceSchema& resources() const { return resources_; }
    [[nodiscard]] const std::vector<MachineType>& machine_types() const { return machine_types_; }
    [[nodiscard]] std::uint32_t machine_type_index(ServerId server) const {
        return machine_type_of_[server.index];
    }
    [[nodiscard]] const MachineType& machine_type(ServerId server) const {
        return machine_types_[machine_type_of_[server.index]];
    }

    /// The labels of each server besides those of its machine type; empty unless a list of nodes
    /// told them.
    [[nodiscard]] const NodeLabels& labels() const { return labels_; }

    [[nodiscard]] const std::vector<SharedProvider>& shared_providers() const {
        return shared_providers_;
    }

    /// The number of edges between two servers in the tree: 0 for the same server, 2 under one
    /// parent, ...
    [[nodiscard]] std::uint32_t distance(NodeId a, NodeId b) const;

private:
    friend class TopologyBuilder;
    Topology() = default;
    [[nodiscard]] std::uint32_t first_server() const { return level_begin_[level_count() - 1]; }

    std::vector<std::string> level_names_;
    /// The first node of each level; one more than there are levels.
    std::vector<std::uint32_t> level_begin_;
    std::vector<std::uint32_t> parent_;
    /// The first child of each inner node; one more than there are inner nodes.
    std::vector<std::uint32_t> child_begin_;
    /// The beginning of each node's name in names_; one more than there are nodes.
    std::vector<std::uint32_t> name_begin_;
    std::string names_;
    ResourceSchema resources_;
    std::vector<MachineType> machine_types_;
    std::vector<std::uint32_t> machine_type_of_;
    std::vector<SharedProvider> shared_providers_;
    NodeLabels labels_;
};

/// Makes a Topology level by level, root first:
///   TopologyBuilder builder(schema);
///   builder.begin_level("cluster");  builder.add_node(0, "cluster");
///   builder.begin_level("server");   builder.add_server(0, "server-0", type);
///   Topology tree = builder.build();
/// Nodes of a level are added in the order of their parents; `parent` is an index within the
/// level above. Errors: children out of their parents' order, an inner node without children, or
/// a level without nodes are a caller's bug and abort.
class TopologyBuilder {
public:
    explicit TopologyBuilder(ResourceSchema resources);
    /// The index of a machine type; `capacity` is by the schema.
    std::uint32_t add_machine_type(MachineType type);
    void begin_level(std::string name);
    void add_node(std::uint32_t parent, std::string_view name);
    void add_server(std::uint32_t parent, std::string_view name, std::uint32_t machine_type);
    /// Makes room for so many; more may be added all the same.
    void reserve(std::size_t nodes, std::size_t servers, std::size_t name_bytes);
    [[nodiscard]] Topology build();

    /// The same tree with other machine types: `of_server` has an index into `types` for each
    /// server.
    [[nodiscard]] static Topology with_machine_types(Topology tree,
                                                     std::vector<MachineType> types,
                                                     std::vector<std::uint32_t> of_server);
    /// The same tree with resource providers that servers share.
    [[nodiscard]] static Topology with_shared_providers(Topology tree,
                                                        std::vector<SharedProvider> shared);
    /// The same tree with labels for its servers.
    [[nodiscard]] static Topology with_labels(Topology tree, NodeLabels of_server);

private:
    Topology tree_;
};

}  // namespace berth::core
