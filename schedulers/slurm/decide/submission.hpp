#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "schedulers/slurm/decide/objects.hpp"

// What sbatch does with a job before a controller queues it.

namespace berth::core::slurm {

/// The place of the partition with this name, or of the default one if the name is empty.
[[nodiscard]] std::optional<std::size_t> find_partition(const Cluster& cluster,
                                                        std::string_view name);

/// Gives a job what its association and its partition add to it: the default QOS, limits on nodes,
/// and whole nodes. A job beyond the
/// partition's limits waits for ever, or is refused.
/// Returns: why sbatch refuses the job, in its words; empty if it does not. Whether any nodes could
///          run it, Controller::could_ever_run() says.
[[nodiscard]] std::string_view submit_to_partition(Job& job, const Cluster& cluster);

}  // namespace berth::core::slurm
