#pragma once

#include <cstddef>

#include "core/ledger/ledger.hpp"

namespace berth::sim {

/// The resource by which the attained service of jobs is counted: GPUs, or CPUs if the cluster has
/// none.
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
