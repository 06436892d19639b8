#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/support/source.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Reads the cluster that a file lists: nodes of a trace (`openb`, `spot`), or what
/// read_topology_file() reads (`kubernetes`). Without a format, the first line tells.
/// Errors: recorded, or InputError for a file that cannot be read at all, or an unknown format.
[[nodiscard]] std::optional<core::Topology> read_nodes_file(const std::filesystem::path& file,
                                                            const std::string& format,
                                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
