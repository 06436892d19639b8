#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {

/// A resource that counts accelerators, and the node labels that describe them.
struct GpuResource {
    std::string_view name;  ///< A name that ends with `*` stands for all names that begin so.
    /// The label that names the model of a node's devices. A label that begins with a dot is
    /// appended to the resource's own name. "": no such label is known.
    std::string_view model_label;
    /// The label that tells the memory of one device, written likewise.
    std::string_view memory_label;
    std::string_view memory_unit;  ///< The unit that the number in the memory label counts.
};

/// The entry of a resource that counts accelerators; nullptr if it counts something else. If a
/// cluster has several such resources, the one whose entry stands first in memory counts as its
/// GPUs.
[[nodiscard]] const GpuResource* find_gpu_resource(std::string_view resource);

/// The resource that counts as the GPUs of a cluster: the first one that any server has, or else
/// the first in the schema. First means first in the table of entries.
[[nodiscard]] std::optional<std::size_t> gpu_resource(const Topology& tree);

/// The same for jobs that say only how many GPUs they want: it does not matter whether any server
/// has the resource.
[[nodiscard]] std::optional<std::size_t> gpu_resource(const ResourceSchema& schema);

/// The amount that a quantity of a resource stands for. Accelerators that none of berth's
/// allocators can share must be whole ones.
[[nodiscard]] std::variant<Amount, QuantityFault> parse_amount(const ResourceSchema& schema,
                                                               std::size_t resource,
                                                               std::string_view text);

/// The names of the accelerators that servers have besides the one of gpu_resource().
[[nodiscard]] std::vector<std::string> other_gpu_resources(const Topology& tree);

}  // namespace berth::core
