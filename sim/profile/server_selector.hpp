#pragma once

#include <optional>
#include <span>

#include "core/index/score_index.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Chooses servers for single pods in place of a profile's score plug-ins, with a choice that the
/// user wrote. Groups go where the profile's solver sends them.
class ServerSelector {
public:
    ServerSelector() = default;
    virtual ~ServerSelector() = default;
    ServerSelector(const ServerSelector&) = delete;
    ServerSelector& operator=(const ServerSelector&) = delete;

    /// One of the servers on which the pod fits, of which there is at least one; or nothing: the
    /// pod waits on.
    [[nodiscard]] virtual std::optional<core::ServerId> select(const Job& job,
                                                               const core::PodIndex& index) = 0;
};

/// Chooses by scores: the pod goes to the server with the highest score among those on which it
/// fits, and to the first of equal ones.
class ServerScorer : public ServerSelector {
public:
    /// A score for each server, the higher the better. Scores of servers on which the pod does not
    /// fit do not matter, and minus infinity is for servers that are not to be chosen. Valid until
    /// the next call.
    [[nodiscard]] virtual std::span<const double> scores(const Job& job) = 0;

    /// Cost: O(servers).
    [[nodiscard]] std::optional<core::ServerId> select(const Job& job,
                                                       const core::PodIndex& index) final;
};

}  // namespace berth::sim
