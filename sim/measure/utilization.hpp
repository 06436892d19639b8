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
/// What is free on a server is stranded if the server has nothing left of some other resource: no
/// pod that needs both can use it.
///
/// Cost: settle() reads the ledger's change log, O(depth x resources) for each change; a node's
///       integral is brought up to date only when the node changes.
class Utilization {
public:
    /// `cluster`: in a run that keeps spares, says which of the ledger's servers are spares. They
    /// count as servers that are there, with no pods on them. Otherwise nullptr.
    explicit Utilization(const core::Ledger& ledger,
                         Window window = {},
                         const Cluster* cluster = nullptr);

    /// Accounts for the time up to `now` with the amounts as they were, then takes in the changes.
    /// To be called after everything that happened at one instant, before the clock goes on.
    void settle(SimTime now);

    /// Time-weighted mean share of the node's capacity that is allocated, over the part of the
    /// window up to the last settle(). If servers fail or are added, it is what was allocated
    /// divided by what there was. 0 for a node without the resource; the current share if no time
    /// passed. Nothing for a node below the root without a server that was up in that time, and for
    /// any node if the window had not begun by then.
    [[nodiscard]] std::optional<double> mean_allocated(core::NodeId inner,
                                                       std::size_t resource) const;
    [[nodiscard]] std::optional<double> mean_stranded(std::size_t resource) const;
    /// After settle(): compares the amounts that it integrates with those of the ledger.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    /// What the cluster has now.
    [[nodiscard]] core::Amount capacity(std::size_t resource) const {
        return capacity_of(tree_.root(), resource);
    }
    /// The current share of the cluster's capacity that is allocated, or stranded.
    [[nodiscard]] double allocated(std::size_t resource) const;
    [[nodiscard]] double stranded(std::size_t resource) const;

private:
    void take_in(core::ServerId server, SimTime now);
    void note_spare(core::ServerId server);
    void strand(core::ServerId server);
    void strand(core::ServerId server,
                std::span<const core::Amount> available,
                std::span<const core::Amount> capacity);
    /// The amounts in the ledger, plus those of spares below the node.
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
    /// The load of one resource below an inner node.
    struct Load {
        core::Amount amount = 0;    ///< Amount allocated since `since_`.
        double integral = 0;        ///< Amount-seconds in the window, up to `since_`.
        core::Amount capacity = 0;  ///< The initial capacity.
    };
    std::vector<Load> loads_;     ///< Loads by inner node and resource.
    std::vector<SimTime> since_;  ///< The time up to which the integrals of each inner node go.
    /// The capacity of an inner node for one resource, once it has differed from the initial one.
    struct Capacity {
        double integral = 0;  ///< Capacity-seconds in the window, up to `since`.
        SimTime since{};
        core::Amount now = 0;
    };
    std::map<std::size_t, Capacity> capacities_;  ///< Capacities that changed, by entry.
    // The amounts of spares, by inner node and resource; empty in a run that keeps none.
    std::vector<core::Amount> spare_capacity_;
    std::vector<core::Amount> spare_used_;  ///< What was in use there before the run.
    std::map<core::ServerId, std::vector<core::Amount>> used_on_spare_;
    // Stranded amounts, by server and resource.
    std::vector<core::Amount> stranded_on_;
    /// Whether any of these amounts is not 0, by server. This vector fits into the processor's
    /// caches.
    std::vector<bool> strands_;
    // The cluster's stranded amounts, by resource.
    std::vector<core::Amount> stranded_;
    std::vector<double> stranded_integral_;
};

}  // namespace berth::sim
