#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim/clock/fingerprint.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/members.hpp"
#include "sim/job/run_time_model.hpp"
#include "sim/measure/measures.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// The running members: what they claim of the cluster, and their stints in the record. It does not
/// check the state of jobs.
///
/// Cost: O(members that start or stop), in addition to the claims.
class Occupants {
public:
    /// All arguments outlive it.
    Occupants(Cluster& cluster,
              const Settings& settings,
              Measures& measures,
              Fingerprint& fingerprint);

    /// All members of a job that held nothing start; the job's record has the placement's tree.
    void start(JobState& state, Placement& placement, SimTime now);
    /// Members join a running job on one server. New ones come to be now. The others came with the
    /// job, and get the numbers of members that lost their places, if there are such.
    /// Cost: O(n log n) for n stints if the job was evicted, or else O(1), beside the claim.
    void join(JobState& state,
              const core::PlacedNode& more,
              const PlannedGrants& planned,
              bool are_new,
              SimTime now);
    /// Members leave a running job on one server, beginning with those that started last.
    void leave(JobState& state, core::ServerId server, core::Members count, SimTime now);
    /// Ends all stints of a running job, and gives back what they held.
    void release_all(JobState& state, SimTime now);

    /// Notes a job's running members on their servers, or removes them there; needed where servers
    /// may leave.
    void note(const JobState& state, JobId id, bool there);
    /// The jobs that are noted on a server, in the order of arrival; in a run in which servers may
    /// leave.
    [[nodiscard]] std::vector<JobId> on(core::ServerId server) const;
    /// Whether no job is noted there.
    [[nodiscard]] bool is_empty(core::ServerId server) const {
        const auto here = on_server_.find(server);
        return here == on_server_.end() || here->second.empty();
    }
    /// Compares the noted jobs with the running jobs; `running` is in the order of arrival.
    [[nodiscard]] std::optional<core::Violation> find_violation(
        const std::vector<std::pair<JobId, const JobState*>>& running) const;

private:
    void start_stints(JobState& state,
                      const core::PlacedNode& server,
                      std::vector<Grant> grants,
                      FreeNumbers& numbers,
                      SimTime now);
    void note_grants(const Job& job, const Stint& stint);
    void slow_down(JobRecord& record, std::span<const core::PlacedNode> servers);

    Cluster& cluster_;
    const Settings& settings_;
    Measures& measures_;
    Fingerprint& fingerprint_;
    std::optional<NicUsers> nics_;  ///< Set if run times depend on NICs.
    std::map<core::ServerId, std::set<std::pair<std::uint64_t, JobId>>> on_server_;
};

}  // namespace berth::sim
