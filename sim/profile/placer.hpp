#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index/fit_index.hpp"
#include "core/index/score_index.hpp"
#include "core/placement/placement_exact.hpp"
#include "core/placement/placement_group.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job.hpp"
#include "sim/job/pod_shape.hpp"
#include "sim/profile/profile.hpp"
#include "sim/profile/server_selector.hpp"
#include "sim/scheduler/refusal.hpp"

namespace berth::sim {

/// The result of the search for a place for a job.
struct Attempt {
    bool found = false;                     ///< Places were found for as many members as the job
                                            ///< needs to start.
    std::vector<core::PlacedNode> servers;  ///< The placed members by server, in the order of the
                                            ///< tree.
    core::LogicalTree placement;            ///< The placement of a group, also if it is too small
                                            ///< to start.
    std::optional<core::LogicalTree> attainable;
    core::Members placed = 0;
    PlannedGrants grants{};  ///< What each member gets inside its server; empty: still open.
};

/// Seeks places for jobs as a profile says: filter and score for a pod, the placement-group solver
/// for a group; permit holds a group back until enough of its members have a place. It claims
/// nothing.
///
/// Cost: an index for each demand shape is built at its first use, O(nodes), and follows the ledger
///       from then on; a decision costs O(log servers) for a pod and O(nodes visited) for a group.
class Placer {
public:
    /// `profile` and `cluster` outlive it. `attainable`: it also asks the exact solver what a group
    /// could have had.
    Placer(const Profile& profile, const Cluster& cluster, bool attainable);

    /// From now on, `selector` chooses the servers for single pods.
    void select_by(std::unique_ptr<ServerSelector> selector) { selector_ = std::move(selector); }

    /// Where `members` members of the job would start: fewer than its size if its quota admits
    /// fewer.
    [[nodiscard]] Attempt find(const Job& job, core::Members members);
    /// Whether find() would find a place and, for a group, the whole attempt. It draws no random
    /// number that a later decision could depend on.
    [[nodiscard]] Attempt look(const Job& job, core::Members members);
    /// What the exact solver would have found, if it is to be asked.
    [[nodiscard]] std::optional<core::LogicalTree> attainable(const Job& job,
                                                              core::Members members);
    /// The servers of a running group after it has grown or shrunk, or nothing if it cannot get
    /// that size. No running member moves.
    [[nodiscard]] std::optional<std::vector<core::PlacedNode>> find_resized(
        const Job& job, core::Members size, const std::vector<core::PlacedNode>& servers);

    /// Why the job does not start now, in kube-scheduler's words. `placed` is the count of its last
    /// Attempt.
    [[nodiscard]] Refusal explain(const Job& job, core::Members placed);
    /// Numbers of servers that have all that a member needs, and refuse it only because of their
    /// drains.
    struct Drained {
        std::uint32_t now = 0;
        std::uint32_t before_its_end = 0;
    };
    /// Cost: O(servers), in a run with drains.
    [[nodiscard]] Drained drained_servers(const Job& job);
    /// How many servers keep a member of the job away, and by what. As with kube-scheduler, a
    /// server that the job's specs do not select counts for that alone, whatever it has.
    struct Refusing {
        std::vector<std::uint32_t> insufficient;  ///< Servers with too little, by resource.
        std::uint32_t inside = 0;                 ///< Servers without what it asks for inside them.
        std::uint32_t beside = 0;  ///< Servers that its selector or its application forbids.
        std::map<std::string_view, std::uint32_t>
            words;  ///< The latter two, by Cluster::refusal().
    };
    /// Cost: O(servers) after a change of the ledger, for a job that does not ask for amounts and
    ///       insides alone.
    [[nodiscard]] const Refusing& refusing_servers(const Job& job);
    /// On how many servers a member fits.
    [[nodiscard]] std::uint32_t feasible_servers(const Job& job) {
        return scores(job).feasible_count();
    }

    /// Lets each index catch up, and compares it with one that is built anew.
    [[nodiscard]] std::optional<core::Violation> find_violation();

    /// Decisions so far: pods and groups for which a place was sought.
    [[nodiscard]] std::uint64_t decisions() const { return decisions_; }

private:
    /// The indexes that follow the ledger for one demand shape.
    struct Shape {
        std::unique_ptr<core::FitIndex> fits;
        std::unique_ptr<core::PodIndex> scores;
        std::uint64_t last_used = 0;
        std::optional<std::uint64_t> refusing_at;  ///< The change of the ledger before `refusing`.
        Refusing refusing;
    };
    Shape& shape(const Job& job);
    core::FitIndex& fits(const Job& job);
    core::PodIndex& scores(const Job& job);
    [[nodiscard]] Refusing by_index(const Job& job, const core::PodIndex& index);
    [[nodiscard]] Refusing server_by_server(const Job& job) const;
    Attempt find_pod(const Job& job);
    [[nodiscard]] std::optional<core::ServerId> best_server(const Job& job);
    Attempt find_group(const Job& job, core::Members members);
    Attempt place_group(const Job& job, core::Members members);
    [[nodiscard]] const core::GroupRequest& request(const Job& job, core::Members size);

    const Profile& profile_;
    const Cluster& cluster_;
    bool attainable_;
    std::unique_ptr<ServerSelector> selector_;  ///< May be nullptr.
    core::GroupPlacer placer_;
    core::LevelConstraints no_constraints_;  ///< Constraints of groups that state none.
    core::GroupRequest request_;             ///< The last request; the next one reuses its memory.
    std::map<PodShape, Shape, PodShapeLess> shapes_;
    std::size_t shapes_max_ = 0;
    std::uint64_t uses_ = 0;
    std::uint64_t decisions_ = 0;
};

}  // namespace berth::sim
