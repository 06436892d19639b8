#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::topologies {

/// The machine types of a document, and the resources that they name.
struct MachineTypes {
    core::ResourceSchema resources;
    std::vector<core::MachineType> types;  ///< Their capacities are indexed by `resources`.

    /// The index of the type that `value` names. An unknown name is reported with the nearest one.
    [[nodiscard]] std::optional<std::uint32_t> find(const core::Value& value,
                                                    core::Diagnostics& diagnostics) const;
};

/// Reads a `machineTypes` section: a map from each type's name to its `capacity`, `devices`,
/// `numa`, `traits` and `labels`.
/// A group of devices counts as a resource (`gpu` as `nvidia.com/gpu`, any other kind under its own
/// name) unless the capacity names that resource.
///
/// Shape: resources are in the order of the text, then come those of `also`; a type has none of a
///        resource that it does not name.
[[nodiscard]] MachineTypes read_machine_types(const core::Value& section,
                                              const core::ResourceSchema& also,
                                              core::Diagnostics& diagnostics);

/// Reads the contents of one machine, as they are written under its name in `machineTypes`.
[[nodiscard]] MachineTypes read_machine_type(const std::string& name,
                                             const core::Value& inside,
                                             const core::ResourceSchema& also,
                                             core::Diagnostics& diagnostics);

/// Some amounts by resource index, used while the schema still grows.
using SparseAmounts = std::vector<std::pair<std::size_t, core::Amount>>;
[[nodiscard]] core::Amounts dense(const SparseAmounts& amounts, std::size_t resource_count);

/// Whether a text can be the name of a resource in documents, columns and SQL: it may have the
/// letters of Kubernetes' names and the capitals of Placement's. If not, an error is recorded at
/// `span`.
[[nodiscard]] bool check_resource_name(const std::string& name,
                                       const core::SourceSpan& span,
                                       core::Diagnostics& diagnostics);

/// Reads a Kubernetes quantity of `resource`.
[[nodiscard]] std::optional<core::Amount> read_amount(const core::Value& value,
                                                      const core::ResourceSchema& resources,
                                                      std::size_t resource,
                                                      core::Diagnostics& diagnostics);

/// Does the same, but rounds like Kubernetes: a fraction of a byte or of a thousandth of a CPU
/// counts as one.
[[nodiscard]] std::optional<core::Amount> read_counted_amount(const core::Value& value,
                                                              const core::ResourceSchema& resources,
                                                              std::size_t resource,
                                                              core::Diagnostics& diagnostics);

/// The resource that a device of `kind` counts as.
[[nodiscard]] std::string_view resource_of_device(std::string_view kind);

}  // namespace berth::topologies
