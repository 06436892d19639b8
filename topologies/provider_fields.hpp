#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::topologies {

/// Reads a list of trait names such as `[STORAGE_DISK_SSD, CUSTOM_PHYSNET1]`.
/// Errors: recorded for texts that cannot be traits, and for traits that berth itself gives to
///         providers. A name that is neither standard nor begins with CUSTOM_ gets a warning.
[[nodiscard]] std::vector<std::string> read_traits(const core::Value& list,
                                                   core::Diagnostics& diagnostics);

/// Reads `sharedProviders`: a list of maps with `name`, `level`, `inventories` and `traits`. `list`
/// may be nullptr.
[[nodiscard]] std::vector<core::SharedProvider> read_shared_providers(
    const core::Value* list,
    const std::vector<std::string>& level_names,
    core::Diagnostics& diagnostics);

}  // namespace berth::topologies
