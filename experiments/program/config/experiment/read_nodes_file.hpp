#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/source.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Reads the cluster that a file lists: nodes of a trace (`openb`, `spot`), or what
/// read_topology_file() reads (`kubernetes`). Without a format, the first line tells it, and a
/// warning says which one it is and which `option` of the command line names another.
/// Errors: recorded, or InputError for a file that cannot be read at all and for an unknown format.
[[nodiscard]] std::optional<core::Topology> read_nodes_file(const std::filesystem::path& file,
                                                            const std::string& format,
                                                            std::string_view option,
                                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
