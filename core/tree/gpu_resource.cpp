#include "core/tree/gpu_resource.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>

#include "core/tree/device_names.hpp"
#include "core/tree/resources.hpp"

namespace berth::core {
namespace {

/// If a cluster has several of these, the first one counts.
/// Source: the documentation of the device plug-ins; labels as GPU feature discovery, AMD's node
///         labeller, the rules for Intel's GPUs in Node Feature Discovery, and GKE write them.
constexpr std::array table{
    GpuResource{device_resource::nvidia_gpu, ".product", ".memory", "Mi"},
    GpuResource{device_resource::amd_gpu, ".product-name", ".vram", "i"},  // 192G means 192 Gi
    GpuResource{device_resource::dcu_gpu, "", "", ""},
    GpuResource{"habana.ai/gaudi", "", "", ""},
    GpuResource{"gpu.intel.com/xe", "gpu.intel.com/product", "", ""},
    GpuResource{"gpu.intel.com/i915", "gpu.intel.com/product", "", ""},
    GpuResource{"google.com/tpu", "cloud.google.com/gke-tpu-accelerator", "", ""},
    GpuResource{"aws.amazon.com/neuron", "", "", ""},
    GpuResource{"aws.amazon.com/neurondevice", "", "", ""},
    GpuResource{"nvidia.com/gpu.shared", "nvidia.com/gpu.product", "nvidia.com/gpu.memory", "Mi"},
    GpuResource{"nvidia.com/mig-*", ".product", ".memory", "Mi"}};

/// The resource of the schema that comes first in the table, among those that `wanted` accepts.
template <class Wanted>
std::optional<std::size_t> first_of_table(const ResourceSchema& schema, Wanted wanted) {
    const GpuResource* first = nullptr;
    std::optional<std::size_t> found;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        const GpuResource* const gpu = find_gpu_resource(schema.name(resource));
        if (gpu != nullptr && (first == nullptr || gpu < first) && wanted(resource)) {
            first = gpu;
            found = resource;
        }
    }
    return found;
}

bool any_server_has(const Topology& tree, std::size_t resource) {
    return std::ranges::any_of(tree.machine_types(), [&](const MachineType& type) {
        return type.capacity(static_cast<Eigen::Index>(resource)) > 0;
    });
}

}  // namespace

const GpuResource* find_gpu_resource(std::string_view resource) {
    if (resource.find('/') == std::string_view::npos) {
        return nullptr;  // like most resources
    }
    const auto* const found = std::ranges::find_if(table, [&](const GpuResource& gpu) {
        const std::string_view beginning = gpu.name.substr(0, gpu.name.size() - 1);
        return gpu.name.ends_with('*') ? resource.starts_with(beginning) : resource == gpu.name;
    });
    return found == table.end() ? nullptr : &*found;
}

std::optional<std::size_t> gpu_resource(const Topology& tree) {
    const auto there = first_of_table(
        tree.resources(), [&](std::size_t resource) { return any_server_has(tree, resource); });
    return there ? there : gpu_resource(tree.resources());
}

std::optional<std::size_t> gpu_resource(const ResourceSchema& schema) {
    return first_of_table(schema, [](std::size_t) { return true; });
}

std::variant<Amount, QuantityFault> parse_amount(const ResourceSchema& schema,
                                                 std::size_t resource,
                                                 std::string_view text) {
    const Amount per_unit = schema.per_unit(resource);
    const bool whole = per_unit > 1 && schema.unit(resource) == "units";
    const auto parsed = parse_quantity(text, whole ? 1 : per_unit);
    const auto* amount = std::get_if<Amount>(&parsed);
    if (amount == nullptr || !whole) {
        return parsed;
    }
    const auto product = checked_multiply(*amount, per_unit);
    return product ? std::variant<Amount, QuantityFault>(*product) : QuantityFault::overflow;
}

std::vector<std::string> other_gpu_resources(const Topology& tree) {
    const auto counted = gpu_resource(tree);
    std::vector<std::string> others;
    for (std::size_t resource = 0; resource < tree.resources().size(); ++resource) {
        const std::string& name = tree.resources().name(resource);
        if (resource != counted && find_gpu_resource(name) != nullptr &&
            any_server_has(tree, resource)) {
            others.push_back(name);
        }
    }
    return others;
}

}  // namespace berth::core
