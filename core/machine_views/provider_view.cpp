#include "core/machine_views/provider_view.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <iterator>

#include "core/machine_views/device_places.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {
namespace {

constexpr std::string_view island_trait = "CUSTOM_NVLINK_";
constexpr std::string_view switch_trait = "CUSTOM_PCIE_SWITCH";
constexpr std::string_view numa_trait = "HW_NUMA_ROOT";
constexpr std::string_view disk_class = "DISK_GB";

/// The text in the form that names of traits and of resource classes have: capitals, digits and
/// underscores.
std::string custom(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        const bool lower = c >= 'a' && c <= 'z';
        const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        c = lower ? static_cast<char>(c - 'a' + 'A') : kept ? c : '_';
    }
    return out;
}

std::string model_trait(std::string_view kind, std::string_view model) {
    return fmt::format("CUSTOM_{}_{}", custom(kind), custom(model));
}

std::pair<std::string, Amount> inventory_of(const DeviceGroup& group) {
    const Amount functions = group.virtual_functions;
    if (group.kind == "gpu") {
        return functions > 0 ? std::pair("VGPU", functions) : std::pair("PGPU", Amount{1});
    }
    if (group.kind == "fpga" && functions == 0) {
        return {"FPGA", 1};
    }
    return functions > 0 ? std::pair(std::string("SRIOV_NET_VF"), functions)
                         : std::pair("CUSTOM_" + custom(group.kind), Amount{1});
}

void make_set(std::vector<std::string>& traits) {
    std::ranges::sort(traits);
    traits.erase(std::ranges::unique(traits).begin(), traits.end());
}

class ProviderTree {
public:
    explicit ProviderTree(std::string_view server) {
        nodes_.push_back({std::string(server), std::nullopt, {}, {}});
    }
    /// The child of `parent` with this name. It is made if there is none.
    std::size_t child(std::size_t parent, std::string_view name) {
        std::string full = fmt::format("{}_{}", nodes_[parent].name, name);
        const auto [entry, fresh] = index_.try_emplace(full, nodes_.size());
        if (fresh) {
            nodes_.push_back({std::move(full), parent, {}, {}});
        }
        return entry->second;
    }
    /// The provider below which a device at this place is.
    std::size_t inner(const DevicePlace& place) {
        std::size_t node = 0;
        if (place.numa) {
            node = child(node, fmt::format("numa{}", *place.numa));
            nodes_[node].traits = {std::string(numa_trait)};
        }
        if (place.pcie) {
            node = child(node, fmt::format("pcie{}", *place.pcie));
            nodes_[node].traits = {std::string(switch_trait)};
        }
        return node;
    }
    ProviderNode& operator[](std::size_t node) { return nodes_[node]; }
    std::vector<ProviderNode> take() { return std::move(nodes_); }

private:
    std::vector<ProviderNode> nodes_;
    std::map<std::string, std::size_t> index_;
};

/// The classes of amounts that are not devices.
std::vector<ProviderClass> capacity_classes(const ResourceSchema& resources) {
    constexpr Amount mebi = 1 << 20;
    constexpr Amount gibi = 1 << 30;
    std::vector<ProviderClass> classes;
    const auto add = [&](std::string_view resource, std::string_view name, Amount amount) {
        if (const auto index = resources.find(resource)) {
            classes.push_back({std::string(name), *index, amount, 1, false});
        }
    };
    add("cpu", "VCPU", 1000);
    add("memory", "MEMORY_MB", mebi);
    add("ephemeral-storage", disk_class, gibi);
    return classes;
}

/// Gives the amounts of these classes to the server or to its NUMA nodes.
void add_capacity(const MachineType& type, const ResourceSchema& resources, ProviderTree& tree) {
    std::vector<std::size_t> nodes;
    for (std::int64_t numa = 0; numa < type.numa_nodes; ++numa) {
        nodes.push_back(tree.inner({numa, std::nullopt, std::nullopt}));
    }
    for (const ProviderClass& one : capacity_classes(resources)) {
        Amount left = type.capacity[static_cast<Eigen::Index>(one.resource)] / one.amount;
        const bool shared_out = !nodes.empty() && one.name != disk_class;
        const Amount each = shared_out ? left / type.numa_nodes : 0;
        for (std::size_t i = nodes.size(); shared_out && i-- > 1 && each > 0; left -= each) {
            tree[nodes[i]].inventory[one.name] = each;
        }
        if (left > 0) {
            tree[shared_out ? nodes[0] : 0].inventory[one.name] = left;
        }
    }
}

}  // namespace

std::vector<ProviderNode> provider_view(const MachineType& type,
                                        const ResourceSchema& resources,
                                        std::string_view server) {
    const auto places = device_places(type.devices);
    ProviderTree tree(server);
    tree[0].traits = type.traits;
    make_set(tree[0].traits);
    add_capacity(type, resources, tree);
    for (std::size_t g = 0; g < type.devices.size(); ++g) {
        const DeviceGroup& group = type.devices[g];
        for (std::size_t i = 0; i < places[g].size(); ++i) {
            const std::size_t inner = tree.inner(places[g][i]);
            ProviderNode& device = tree[tree.child(inner, fmt::format("{}_{}", group.kind, i))];
            device.inventory.insert(inventory_of(group));
            if (!group.model.empty()) {
                device.traits.push_back(model_trait(group.kind, group.model));
            }
            if (places[g][i].island) {
                device.traits.push_back(fmt::format("{}{}", island_trait, *places[g][i].island));
            }
            if (i < group.traits.size()) {
                std::ranges::copy(group.traits[i], std::back_inserter(device.traits));
            }
            make_set(device.traits);
        }
    }
    return tree.take();
}

std::vector<ProviderClass> provider_classes(const MachineType& type,
                                            const ResourceSchema& resources) {
    std::vector<ProviderClass> classes = capacity_classes(resources);
    for (const DeviceGroup& group : type.devices) {
        const std::string_view name =
            group.kind == "gpu" ? device_resource::nvidia_gpu : std::string_view(group.kind);
        if (const auto resource = resources.find(name)) {
            const auto [type_name, units] = inventory_of(group);
            classes.push_back({type_name, *resource, resources.per_unit(*resource), units, true});
        }
    }
    return classes;
}

}  // namespace berth::core
