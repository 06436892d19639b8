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

/// Keeps servers free for jobs that lose theirs: so many below each node of a level, as far as
/// there are any that nobody is on, those with the highest numbers first. A spare is away for
/// everybody, until it is offered to a job that lost members below the same node. One on which the
/// job starts is an ordinary server from then on, and the next server that comes free there, or
/// comes back, takes its place. So does another for a spare that fails or is drained.
///
/// Cost: O(log servers) for each server that changes; O(spares of a node) an offer at worst, where
///       most of them are to be drained.
class Spares {
public:
    /// All outlive it. There are none before the first settle().
    Spares(Cluster& cluster, JobLife& jobs, Outages& outages, const SpareServers& kept);

    /// Spares for these servers, one each, of the same node and nearest to them in the tree; none
    /// that would be drained before the job ends. They are there until event_handled().
    void offer(const Job& job, const std::vector<core::ServerId>& lost);
    /// After each event: what was offered and not taken is a spare again.
    void event_handled();
    /// Others take the place of those that are missing. To be called when all has happened at an
    /// instant that no scheduler decides, and after whatever it decides.
    void settle();
    /// Compares the spares with who is there, and on which servers nobody is.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;

private:
    /// What is below a node of the level.
    struct Node {
        std::set<core::ServerId> spares;
        std::set<core::ServerId> empty;  ///< Servers that are there, with nobody on them.
    };
    Node& node_of(core::ServerId server) { return nodes_[of_server_[server.index]]; }
    /// Whether it is there, with nobody on it.
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
    std::uint32_t kept_;                    ///< Below each node.
    std::vector<Node> nodes_;               ///< Those of the level, in the order of the tree.
    std::vector<std::uint32_t> of_server_;  ///< Which of them a server is below.
    std::set<std::uint32_t> changed_;       ///< Those in which a server was looked at.
    std::vector<core::ServerId> offered_;   ///< In this event.
    core::ChangeReader changes_;
    std::uint64_t settled_at_ = ~std::uint64_t{0};  ///< The number of changes after that.
};

}  // namespace berth::sim
