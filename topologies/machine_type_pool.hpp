#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "topologies/machine_types.hpp"

namespace berth::topologies {

/// Gathers machine types from servers that are described one by one: servers that name one type
/// and are equal inside share it. A name that stands for several insides is numbered: `x`, `x-2`.
/// Cost: O(log types) a server.
class MachineTypePool {
public:
    /// `amounts` by ascending resource. An empty name is for servers that name no type.
    std::uint32_t intern(const std::string& name,
                         const SparseAmounts& amounts,
                         const std::vector<core::DeviceGroup>& devices);
    [[nodiscard]] std::vector<core::MachineType> finish(const core::ResourceSchema& resources);

private:
    std::string unused_name(const std::string& name);

    std::map<std::string, std::uint32_t> index_;  ///< By everything that tells types apart.
    std::set<std::string> names_;
    std::vector<core::MachineType> types_;
    std::vector<SparseAmounts> amounts_;  ///< By type.
};

}  // namespace berth::topologies
