#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"

namespace berth::sim {

/// Compares what is free on each server, and what is taken inside, with the sum of what the pods
/// that run there hold and what was in use before the run began.
class ClusterInvariants {
public:
    /// Made before the first pod runs and before servers are made absent. `cluster` outlives it.
    explicit ClusterInvariants(const Cluster& cluster);

    /// Members of a job on one server, and what they got inside.
    struct Held {
        const Job* job = nullptr;
        core::ServerId server;
        core::Members members = 0;
        std::span<const Grant> grants{};
    };
    /// `all` are the members that run now. Lets what is inside servers catch up with the ledger.
    /// Cost: O(nodes x resources + pods), in addition to what is inside.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::span<const Held> all) const;

private:
    [[nodiscard]] std::optional<core::Violation> find_wrong_amount(std::span<const Held> all) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_inside(std::span<const Held> all) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_spread(std::span<const Held> all) const;

    const Cluster& cluster_;
    std::vector<std::vector<core::Amount>> before_;  ///< Amounts in use before the run began, by
                                                     ///< server.
    std::vector<Inside::Taken> inside_before_;       ///< What was taken inside before the run
                                                     ///< began, by place.
};

}  // namespace berth::sim
