#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/gpu_sharing/typical_pods.hpp"
#include "tests/model/plain_fragments.hpp"

namespace berth::tests {

/// How a run shares GPUs.
struct PlainSharing {
    std::string policy;  ///< Empty: score plug-ins choose the server.
    std::vector<core::TypicalGang> gangs;
    std::vector<PlainTypicalPod> typical;
    std::vector<std::uint32_t> order;  ///< Servers by preference among equally good ones.
};

}  // namespace berth::tests
