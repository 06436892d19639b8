#pragma once

#include <filesystem>
#include <optional>

#include "core/support/source.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Reads the topology in a file: a Topology in either form, a TopologyTree, Kubernetes nodes,
/// GraphML, or the topology of an experiment.
/// Errors: recorded, or InputError for a file that cannot be read at all.
[[nodiscard]] std::optional<core::Topology> read_topology_file(const std::filesystem::path& file,
                                                               core::Diagnostics& diagnostics);

}  // namespace berth::experiments
