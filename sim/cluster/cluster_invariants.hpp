#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"

namespace berth::sim {

/// Compares what is free of each server, and what is taken inside, with what the pods that run
/// there hold, added up, and what was in use before the run began.
class ClusterInvariants {
public:
    /// Made before the first pod runs and before servers are absent. The cluster outlives it.
    explicit ClusterInvariants(const Cluster& cluster);

    /// Members of a job on one server, and what they got inside.
    struct Held {
        const Job* job = nullptr;
        core::ServerId server;
        core::Members members = 0;
        std::span<const Grant> grants{};
    };
    /// `all` run now. Has what is inside servers catch up with the ledger.
    /// Cost: O(nodes x resources + pods), and what is inside.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::span<const Held> all) const;

private:
    [[nodiscard]] std::optional<core::Violation> find_wrong_amount(std::span<const Held> all) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_inside(std::span<const Held> all) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_spread(std::span<const Held> all) const;

    const Cluster& cluster_;
    std::vector<std::vector<core::Amount>> before_;  ///< In use before the run began, by server.
    std::vector<Inside::Taken> inside_before_;       ///< By place.
};

}  // namespace berth::sim
