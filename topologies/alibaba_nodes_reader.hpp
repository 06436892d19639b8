#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/support/source.hpp"
#include "core/tree/topology.hpp"
#include "topologies/node_list.hpp"

namespace berth::topologies {

/// Reads a node list of Alibaba's GPU sharing trace (cluster-trace-gpu-v2023): a table with the
/// columns `sn,cpu_milli,memory_mib,gpu,model`, a server a row. `levels` are made up, top-down
/// between the cluster and the servers; the list has none.
///
/// Shape:  as NodeList says.
/// Errors: recorded, each row's first: a wrong header or row, a name that occurs twice, no rows.
[[nodiscard]] std::optional<core::Topology> read_openb_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics);

/// Reads the node list of Alibaba's trace of spot GPUs (cluster-trace-v2026-spot-gpu): a table with
/// the columns `gpu_model,gpu_capacity_num,cpu_num,node_name`, a server a row; it does not tell
/// the memory. Everything else is as of read_openb_nodes().
[[nodiscard]] std::optional<core::Topology> read_spot_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics);

}  // namespace berth::topologies
