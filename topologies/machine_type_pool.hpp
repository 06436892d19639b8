#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "topologies/machine_types.hpp"

namespace berth::topologies {

/// Gathers machine types from servers that are described one by one. Servers that name the same
/// type and have equal contents share it. If a name stands for different contents, it is numbered:
/// `x`, `x-2`.
/// Cost: O(log types) for each server.
class MachineTypePool {
public:
    /// `amounts` is sorted by resource. The name is empty for servers that name no type.
    std::uint32_t intern(const std::string& name,
                         const SparseAmounts& amounts,
                         const std::vector<core::DeviceGroup>& devices);
    [[nodiscard]] std::vector<core::MachineType> finish(const core::ResourceSchema& resources);

private:
    std::string unused_name(const std::string& name);

    std::map<std::string, std::uint32_t> index_;  ///< Index of each type by everything that
                                                  ///< distinguishes types.
    std::set<std::string> names_;
    std::vector<core::MachineType> types_;
    std::vector<SparseAmounts> amounts_;  ///< Amounts of each type.
};

}  // namespace berth::topologies
