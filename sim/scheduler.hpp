#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/placement_exact.hpp"
#include "core/placement_group.hpp"
#include "core/score_index.hpp"
#include "sim/application_spread.hpp"
#include "sim/grant.hpp"
#include "sim/job.hpp"
#include "sim/lack.hpp"
#include "sim/pod_shape.hpp"
#include "sim/profile.hpp"

namespace berth::sim {

class ServerDevices;
class ServerGpus;
class ServerProviders;

/// What came of one attempt to schedule a job.
struct Attempt {
    bool started = false;                   ///< Its members are claimed in the ledger.
    std::vector<core::PlacedNode> servers;  ///< Those members, by server, in the order of the tree.
    std::vector<std::vector<Grant>> grants;  ///< Theirs, if they ask for any, by server.
    core::LogicalTree placement;             ///< Of a group, found even if too small to start.
    std::optional<core::LogicalTree> attainable;
    core::Members placed = 0;
};

/// One scheduling cycle for one job: filter and score for a pod, the placement-group solver for a
/// group, then reserve in the ledger and among the servers' devices or providers; permit holds a
/// group back until enough members have a place.
///
/// Cost: an index for each demand shape is built at its first use, O(nodes), and follows the ledger
///       from then on; a decision costs O(log servers) for a pod and O(nodes visited) for a group.
class Scheduler {
public:
    /// `attainable`: also ask the exact solver what a group could have had.
    Scheduler(const Profile& profile, core::Ledger& ledger, bool attainable);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// The same decisions over a copy of the ledger: what is inside servers is copied too.
    /// Returns: nullptr in a run that looks for allocation candidates, which knows no copies.
    /// Limits:  a policy that draws servers or devices begins to draw anew.
    [[nodiscard]] std::unique_ptr<Scheduler> copy_over(core::Ledger& copy) const;

    /// `members`: how many of the job's may start; fewer than its size if its quota admits fewer.
    [[nodiscard]] Attempt schedule(const Job& job, core::Members members);
    /// Whether a server has the amounts, and the devices or providers, for a single pod.
    [[nodiscard]] bool has_room(const Job& job, core::ServerId server);
    /// What schedule() would do, with nothing claimed.
    [[nodiscard]] Attempt find(const Job& job, core::Members members);
    /// Whether find() would find a place, and of a group the whole attempt; with no number drawn
    /// of which a later decision could depend.
    [[nodiscard]] Attempt look(const Job& job, core::Members members);
    /// Claims what an attempt found.
    void claim(const Job& job, Attempt& attempt);
    /// What the exact solver would have found, where that was asked for.
    [[nodiscard]] std::optional<core::LogicalTree> attainable(const Job& job,
                                                              core::Members members);
    /// Starts a single pod on a server that has room for it.
    [[nodiscard]] Attempt start_on(const Job& job, core::ServerId server);
    /// Grows or shrinks a running group: claims and releases the difference. Returns the servers
    /// after it, or nothing, with the ledger unchanged, when the group cannot get that size.
    [[nodiscard]] std::optional<std::vector<core::PlacedNode>> resize(
        const Job& job, core::Members size, const std::vector<core::PlacedNode>& servers);
    /// `grants`: those of the members that leave.
    void release(const Job& job,
                 core::ServerId server,
                 core::Members members,
                 std::span<const Grant> grants);
    /// What members that were claimed by resize() get: one grant a member.
    [[nodiscard]] std::vector<Grant> take_grants(const Job& job,
                                                 core::ServerId server,
                                                 core::Members members);
    void give_back_grants(core::ServerId server, std::span<const Grant> grants);
    /// Whether the server's devices or providers could serve the pod if those who have `grants`
    /// were gone.
    [[nodiscard]] bool serves_without(const Job& job,
                                      core::ServerId server,
                                      std::span<const Grant> grants);
    /// Nothing in a run whose profile chooses no devices.
    [[nodiscard]] ServerDevices* devices() { return devices_.get(); }
    /// Nothing in a run that looks for no allocation candidates.
    [[nodiscard]] const ServerProviders* providers() const { return providers_.get(); }

    /// Nothing in a run that does not share GPUs.
    [[nodiscard]] ServerGpus* gpus() { return gpus_.get(); }

    /// Why the job does not start now, in kube-scheduler's words. `placed` as its last Attempt
    /// says.
    [[nodiscard]] std::string explain(const Job& job, core::Members placed);
    /// Servers with the amounts for a member, and without the devices or the candidate.
    [[nodiscard]] std::uint32_t refusing_servers(const Job& job) {
        return scores(job).refused_count();
    }
    /// Servers on which a member fits.
    [[nodiscard]] std::uint32_t feasible_servers(const Job& job) {
        return scores(job).feasible_count();
    }

    /// What keeps a member of a waiting job from a server that is up.
    [[nodiscard]] Lack lack(const Job& job, core::ServerId server);
    /// Why a server that has the amounts for a member does not take it.
    [[nodiscard]] std::string why_not(const Job& job, core::ServerId server);
    /// How many of its members the server has room for, one beside the other.
    [[nodiscard]] core::Members places(const Job& job, core::ServerId server);
    /// What decides about the job's pods besides amounts, and logs what changes for them though
    /// nothing in the ledger does. It stays where it is; nullptr: there is nothing.
    [[nodiscard]] const core::ServerRule* rule(const Job& job);

    /// Decisions so far: pods and groups for which a place was sought.
    [[nodiscard]] std::uint64_t decisions() const { return decisions_; }

private:
    Scheduler(const Scheduler& other, core::Ledger& copy);
    /// What follows the ledger for one demand shape.
    struct Shape {
        std::unique_ptr<core::FitIndex> fits;
        std::unique_ptr<core::PodIndex> scores;
        std::uint64_t last_used = 0;
    };
    Shape& shape(const Job& job);
    core::FitIndex& fits(const Job& job);
    core::PodIndex& scores(const Job& job);
    [[nodiscard]] const core::ServerRule* inside_rule(const Job& job);
    void catch_up();
    void take_grants(const Job& job, Attempt& attempt);
    [[nodiscard]] Grant take_grant(const Job& job, core::ServerId server, core::Members before);
    Attempt schedule_pod(const Job& job);
    Attempt schedule_group(const Job& job, core::Members members);
    Attempt place_group(const Job& job, core::Members members);
    core::GroupRequest request(const Job& job, core::Members size) const;

    const Profile& profile_;
    core::Ledger& ledger_;
    bool attainable_;
    core::GroupPlacer placer_;
    std::unique_ptr<ServerDevices> devices_;
    std::unique_ptr<ServerProviders> providers_;
    std::unique_ptr<ServerGpus> gpus_;
    ApplicationSpread spread_;
    using TwoRules = std::pair<const core::ServerRule*, const core::ServerRule*>;
    std::map<TwoRules, core::BothRules> both_rules_;  ///< Looked up, never gone through.
    std::map<PodShape, Shape, PodShapeLess> shapes_;
    std::size_t shapes_max_ = 0;
    std::uint64_t uses_ = 0;
    std::uint64_t decisions_ = 0;
};

}  // namespace berth::sim
