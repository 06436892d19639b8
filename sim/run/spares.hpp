#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/ledger/change_log.hpp"
#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/job_life.hpp"
#include "sim/run/outages.hpp"

namespace berth::sim {

/// Keeps servers free for jobs that lose theirs: a number of them below each node of a level, as
/// far as there are any empty ones, beginning with the highest numbers. A spare is away for all
/// jobs until it is offered to a job that lost members below the same node. A spare on which the
/// job starts is an ordinary server from then on, and the next server that becomes empty there, or
/// comes back, takes its place. A spare that fails or is drained is replaced in the same way.
///
/// Cost: O(log servers) for each server that changes; at worst O(spares of a node) per offer, if
///       most of them are to be drained.
class Spares {
public:
    /// All arguments outlive it. There are no spares before the first settle().
    Spares(Cluster& cluster, JobLife& jobs, Outages& outages, const SpareServers& kept);

    /// Offers spares for these servers, one each, of the same node and nearest to them in the tree,
    /// but none that would be drained before the job ends. They are there until event_handled().
    void offer(const Job& job, const std::vector<core::ServerId>& lost);
    /// Called after each event: a server that was offered and not taken is a spare again.
    void event_handled();
    /// Other servers replace missing spares. To be called when everything at an instant has
    /// happened that no scheduler decides, and after whatever the scheduler decides.
    void settle();
    /// Compares the spares with the servers that are there, and with those that are empty.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;

private:
    /// The servers below a node of the level.
    struct Node {
        std::set<core::ServerId> spares;
        std::set<core::ServerId> empty;  ///< Servers that are there, with no pods on them.
    };
    Node& node_of(core::ServerId server) { return nodes_[of_server_[server.index]]; }
    /// Whether a server is there, with no pods on it.
    [[nodiscard]] bool is_empty(core::ServerId server) const;
    void look_at(core::ServerId server);
    void look_at_changes();
    void forget_lost();
    [[nodiscard]] std::optional<core::ServerId> nearest(const Job& job, core::ServerId lost);
    void keep(core::ServerId server);
    void fill_up(Node& node);

    Cluster& cluster_;
    JobLife& jobs_;
    Outages& outages_;
    std::uint32_t kept_;                    ///< How many spares to keep below each node.
    std::vector<Node> nodes_;               ///< Nodes of the level, in the order of the tree.
    std::vector<std::uint32_t> of_server_;  ///< Index of the node above each server.
    std::set<std::uint32_t> changed_;       ///< Nodes in which a server was looked at.
    std::vector<core::ServerId> offered_;   ///< Spares offered in this event.
    core::ChangeReader changes_;
    std::uint64_t settled_at_ = ~std::uint64_t{0};  ///< The number of the ledger's changes after
                                                    ///< the last settle().
};

}  // namespace berth::sim
