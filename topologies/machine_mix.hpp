#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topologies/level_plan.hpp"
#include "topologies/machine_types.hpp"

namespace berth::topologies {

/// Reads a `machines` section and gives each server of the plan its machine type.
///
/// An entry without `at` is for the whole cluster; `at: {rack: 3}` is for the servers under that
/// node alone, and the deepest node that has entries wins. Entries for one and the same node mix by
/// `weight`: each server gets the type that is furthest behind its share, ties to the earlier
/// entry, so that any first servers of the node are as near to the weights as they can be.
///
/// Returns: the index of the type of each server, in the order of the servers.
/// Cost:    O(servers * (levels + entries of a node)).
[[nodiscard]] std::optional<std::vector<std::uint32_t>> read_machines(
    const core::Value& machines,
    const LevelPlan& plan,
    const MachineTypes& types,
    core::Diagnostics& diagnostics);

}  // namespace berth::topologies
