#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>

#include "core/tree/gpu_resource.hpp"
#include "core/tree/topology.hpp"

namespace berth::sim {

/// The resource by which the attained service of jobs is counted: GPUs, or CPUs if no server has a
/// GPU, neither now nor when it comes.
[[nodiscard]] inline std::size_t service_resource(const core::Topology& tree) {
    for (const auto resource : {core::gpu_resource(tree), tree.resources().find("cpu")}) {
        for (std::uint32_t i = 0; resource && i < tree.server_count(); ++i) {
            const core::Amounts& here = tree.machine_type(core::ServerId{i}).capacity;
            if (here(static_cast<Eigen::Index>(*resource)) > 0) {
                return *resource;
            }
        }
    }
    return 0;
}

}  // namespace berth::sim
