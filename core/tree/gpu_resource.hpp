#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {

/// A resource that counts accelerators, and how nodes' labels tell of them.
struct GpuResource {
    std::string_view name;  ///< With `*` at its end: whatever begins so.
    /// The label that names the model of a node's devices. One that begins with a dot stands
    /// behind the resource's own name. "": no such label is known.
    std::string_view model_label;
    std::string_view memory_label;  ///< It tells the memory of one device, and is likewise.
    std::string_view memory_unit;   ///< The label's number counts these.
};

/// What is known of a resource that counts accelerators; nullptr if it counts something else. Where
/// a cluster has several, the one whose entry stands first in memory counts as its GPUs.
[[nodiscard]] const GpuResource* find_gpu_resource(std::string_view resource);

/// What counts as the GPUs of a cluster: the first of the schema's that any server has, or else
/// the first that the schema has.
[[nodiscard]] std::optional<std::size_t> gpu_resource(const Topology& tree);

/// The same for jobs that say only how many GPUs they want: of any server, there or not.
[[nodiscard]] std::optional<std::size_t> gpu_resource(const ResourceSchema& schema);

/// The amount that a quantity of a resource is. Accelerators that none of berth's allocators shares
/// are whole ones.
[[nodiscard]] std::variant<Amount, QuantityFault> parse_amount(const ResourceSchema& schema,
                                                               std::size_t resource,
                                                               std::string_view text);

/// The names of what servers have beside what gpu_resource() counts.
[[nodiscard]] std::vector<std::string> other_gpu_resources(const Topology& tree);

}  // namespace berth::core
