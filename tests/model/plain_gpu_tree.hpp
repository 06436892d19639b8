#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/job/job.hpp"
#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// The decisions of the two topology-aware policies: the server for a pod, the device of a share,
/// and whole devices.
[[nodiscard]] std::optional<std::uint32_t> best_by_domains(const PlainCluster& cluster,
                                                           const sim::Job& job);
[[nodiscard]] std::size_t device_by_domains(const PlainCluster& cluster,
                                            const sim::Job& job,
                                            std::uint32_t server);
[[nodiscard]] PlainGrant whole_by_islands(const PlainCluster& cluster,
                                          std::uint32_t server,
                                          std::int64_t count);

}  // namespace berth::tests
