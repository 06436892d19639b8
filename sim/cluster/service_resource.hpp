#pragma once

#include <cstddef>

#include "core/ledger/ledger.hpp"

namespace berth::sim {

/// What the service that jobs attain is counted by: GPUs, or CPUs where the cluster has none.
[[nodiscard]] inline std::size_t service_resource(const core::Ledger& ledger) {
    for (const char* name : {"nvidia.com/gpu", "cpu"}) {
        const auto resource = ledger.topology().resources().find(name);
        if (resource && ledger.capacity(ledger.topology().root())[*resource] > 0) {
            return *resource;
        }
    }
    return 0;
}

}  // namespace berth::sim
