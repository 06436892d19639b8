#pragma once

#include <functional>
#include <memory>
#include <span>

#include "sim/job/job.hpp"

namespace berth::sim {

class Actions;

/// Scores servers for single pods in the place of a profile's score plug-ins, where somebody else
/// wrote the scores. Groups go where the profile's solver sends them.
class ServerScorer {
public:
    ServerScorer() = default;
    virtual ~ServerScorer() = default;
    ServerScorer(const ServerScorer&) = delete;
    ServerScorer& operator=(const ServerScorer&) = delete;

    /// A score for each server, the higher the better; the pod fits on one of them at least. Those
    /// of servers on which it does not fit do not matter, and minus infinity is for servers that
    /// are not to be taken. Valid until the next call.
    [[nodiscard]] virtual std::span<const double> scores(const Job& job) = 0;
};

/// Makes that of a run. What it is given outlives it.
using MakeServerScorer = std::function<std::unique_ptr<ServerScorer>(const Actions& see)>;

}  // namespace berth::sim
