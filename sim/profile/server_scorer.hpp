#pragma once

#include <span>

#include "sim/profile/server_selector.hpp"

namespace berth::sim {

/// Chooses by scores: the pod goes to the server with the highest of those on which it fits, and of
/// equal ones to the first.
class ServerScorer : public ServerSelector {
public:
    /// A score for each server, the higher the better. Those of servers on which the pod does not
    /// fit do not matter, and minus infinity is for servers that are not to be taken. Valid until
    /// the next call.
    [[nodiscard]] virtual std::span<const double> scores(const Job& job) = 0;

    /// Cost: O(servers).
    [[nodiscard]] std::optional<core::ServerId> select(const Job& job,
                                                       const core::PodIndex& index) final;
};

}  // namespace berth::sim
