#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/job/job.hpp"
#include "tests/model/plain_case.hpp"
#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_gangs.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// The server for a single pod, by the profile's score.
[[nodiscard]] std::optional<std::uint32_t> best_server(const PlainCluster& cluster,
                                                       const sim::Job& job,
                                                       const PlainCase& of);

/// What each member gets inside its server, one after the other; empty: no member gets anything.
[[nodiscard]] std::vector<PlainGrant> grants_at(PlainCluster cluster,
                                                const sim::Job& job,
                                                const PlainPlaces& places);

/// The number of members that find something there, one after the other: each server has room for
/// its own members, but what servers share may not suffice for all.
[[nodiscard]] core::Members servable(PlainCluster cluster,
                                     const sim::Job& job,
                                     const PlainPlaces& places);

}  // namespace berth::tests
