#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"
#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"

namespace berth::sim {

/// Integrates over time what is allocated, on every node above the servers, and what is stranded.
///
/// Stranded is what is free on a server that has nothing left of some other resource: no pod that
/// needs both can use it.
///
/// Cost: settle() reads the ledger's change log, O(depth x resources) for each change; a node's
///       integral is brought up to date only when the node changes.
class Utilization {
public:
    /// `cluster`: in a run that keeps spares, which of the ledger's servers they are. They count as
    /// servers that are there, with nobody on them. Otherwise nullptr.
    explicit Utilization(const core::Ledger& ledger,
                         Window window = {},
                         const Cluster* cluster = nullptr);

    /// Accounts for the time up to `now` with the amounts as they were, then takes in the changes.
    /// Call after everything that happened at one instant, before the clock goes on.
    void settle(SimTime now);

    /// Time-weighted mean share of the node's capacity, over the part of the window up to the last
    /// settle(). If servers fail or are added, it is what was allocated over what there was. 0 for
    /// a node without the resource; the current share when no time passed. Nothing for a node below
    /// the root without a server that was up in that time, and for any node if the window had not
    /// begun by then.
    [[nodiscard]] std::optional<double> mean_allocated(core::NodeId inner,
                                                       std::size_t resource) const;
    [[nodiscard]] std::optional<double> mean_stranded(std::size_t resource) const;
    /// After settle(): compares the amounts that it integrates with those of the ledger.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    /// What the cluster has now.
    [[nodiscard]] core::Amount capacity(std::size_t resource) const {
        return capacity_of(tree_.root(), resource);
    }
    /// The current share of the cluster's capacity.
    [[nodiscard]] double allocated(std::size_t resource) const;
    [[nodiscard]] double stranded(std::size_t resource) const;

private:
    void take_in(core::ServerId server, SimTime now);
    void note_spare(core::ServerId server);
    void strand(core::ServerId server);
    void strand(core::ServerId server,
                std::span<const core::Amount> available,
                std::span<const core::Amount> capacity);
    /// Those of the ledger, and of spares below the node.
    [[nodiscard]] core::Amount capacity_of(core::NodeId node, std::size_t resource) const {
        return ledger_.capacity(node)[resource] + spare_amount(spare_capacity_, node, resource);
    }
    [[nodiscard]] core::Amount allocated_of(core::NodeId node, std::size_t resource) const {
        return ledger_.allocated(node, resource) + spare_amount(spare_used_, node, resource);
    }
    [[nodiscard]] core::Amount spare_amount(const std::vector<core::Amount>& amounts,
                                            core::NodeId node,
                                            std::size_t resource) const {
        return amounts.empty() ? 0 : amounts[entry(node, resource)];
    }
    [[nodiscard]] std::size_t entry(core::NodeId node, std::size_t resource) const {
        return node.index * resources_ + resource;
    }
    [[nodiscard]] double share(double amount, core::NodeId node, std::size_t resource) const;
    void note_capacity(core::NodeId node, std::size_t resource, SimTime now) {
        const core::Amount amount = capacity_of(node, resource);
        const std::size_t at = entry(node, resource);
        if (!capacities_.empty() || amount != loads_[at].capacity) [[unlikely]] {
            note_capacity(at, amount, now);
        }
    }
    void note_capacity(std::size_t at, core::Amount amount, SimTime now);
    [[nodiscard]] std::optional<double> mean_share(double amount_seconds,
                                                   core::NodeId node,
                                                   std::size_t resource) const;

    const core::Ledger& ledger_;
    const core::Topology& tree_;
    const Cluster* cluster_;
    std::size_t resources_;
    Window window_;
    core::ChangeReader changes_;
    SimTime end_{};
    /// Of one resource below an inner node.
    struct Load {
        core::Amount amount = 0;    ///< Allocated since `since_`.
        double integral = 0;        ///< Amount-seconds in the window, up to `since_`.
        core::Amount capacity = 0;  ///< At first.
    };
    std::vector<Load> loads_;     ///< By inner node and resource.
    std::vector<SimTime> since_;  ///< By inner node.
    /// The capacity of an inner node in one resource, once it was another than at first.
    struct Capacity {
        double integral = 0;  ///< In the window, up to `since`.
        SimTime since{};
        core::Amount now = 0;
    };
    std::map<std::size_t, Capacity> capacities_;  ///< Those that changed, by entry.
    // Of spares, by inner node and resource; empty in a run that keeps none.
    std::vector<core::Amount> spare_capacity_;
    std::vector<core::Amount> spare_used_;  ///< By what was there before the run.
    std::map<core::ServerId, std::vector<core::Amount>> used_on_spare_;
    // By server and resource.
    std::vector<core::Amount> stranded_on_;
    /// By server: whether any of these is not 0. All of them lie in the processor's caches.
    std::vector<bool> strands_;
    // By resource, of the cluster.
    std::vector<core::Amount> stranded_;
    std::vector<double> stranded_integral_;
};

}  // namespace berth::sim
