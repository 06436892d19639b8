#pragma once

#include <optional>

#include "core/index/score_index.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Chooses servers for single pods in the place of a profile's score plug-ins, where somebody else
/// wrote the choice. Groups go where the profile's solver sends them.
class ServerSelector {
public:
    ServerSelector() = default;
    virtual ~ServerSelector() = default;
    ServerSelector(const ServerSelector&) = delete;
    ServerSelector& operator=(const ServerSelector&) = delete;

    /// One of the servers on which the pod fits, of which there is one at least; or nothing: it
    /// waits on.
    [[nodiscard]] virtual std::optional<core::ServerId> select(const Job& job,
                                                               const core::PodIndex& index) = 0;
};

}  // namespace berth::sim
