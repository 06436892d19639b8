#include <fmt/format.h>

#include "sim/cluster/inside/devices/server_devices.hpp"

namespace berth::sim {

/// Checks the number of free GPUs on all servers that are there, counted server by server.
std::optional<core::Violation> ServerDevices::find_violation() {
    FreeGpus fresh;
    for (std::uint32_t index = 0; index < topology_.server_count(); ++index) {
        const core::ServerId server{index};
        if (!away_.contains(server)) {
            const core::MachineAllocator::Free& here = machine(server).free(states_[index]);
            fresh.all += here.gpus;
            fresh.whole += here.whole;
        }
    }
    if (free_.all != fresh.all || free_.whole != fresh.whole) {
        return core::Violation{"the free GPUs of all servers are counted",
                               "the cluster",
                               fmt::format("{}, {} on whole islands", free_.all, free_.whole),
                               fmt::format("{}, {} on whole islands", fresh.all, fresh.whole)};
    }
    return std::nullopt;
}

}  // namespace berth::sim
