#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/support/source.hpp"
#include "core/topology.hpp"
#include "topologies/node_list.hpp"

namespace berth::topologies {

/// Reads the node list of Alibaba's trace of spot GPUs (cluster-trace-v2026-spot-gpu): a table with
/// the columns `gpu_model,gpu_capacity_num,cpu_num,node_name`, a server a row; it does not tell
/// the memory. Everything else is as of read_openb_nodes().
[[nodiscard]] std::optional<core::Topology> read_spot_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics);

}  // namespace berth::topologies
