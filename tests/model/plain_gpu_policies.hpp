#pragma once

#include <cstdint>
#include <optional>

#include "sim/job/job.hpp"
#include "tests/model/plain_case.hpp"
#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_grant.hpp"
#include "tests/model/plain_sharing.hpp"

namespace berth::tests {

/// How a case shares GPUs. If the order of servers is drawn, it is the order that the run draws.
[[nodiscard]] PlainSharing sharing_of(const PlainCase& of);

/// The best server with room for a pod, by the policy of the cluster's sharing.
[[nodiscard]] std::optional<std::uint32_t> best_by_gpus(const PlainCluster& cluster,
                                                        const sim::Job& job);

/// The GPUs that a pod would get on a server with room for it.
[[nodiscard]] PlainGrant choose_gpus(const PlainCluster& cluster,
                                     const sim::Job& job,
                                     std::uint32_t server);

}  // namespace berth::tests
