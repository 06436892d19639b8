#pragma once

#include <optional>
#include <set>
#include <vector>

#include "sim/profile/admission.hpp"
#include "sim/profile/placer.hpp"
#include "sim/quota/borrowing.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/quota/quota_settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Who loses the place to a waiting job, and where that starts then.
struct MadeRoom {
    std::vector<JobId> victims;
    Placement placement;
};

/// Preemption by whole jobs, of whole jobs: single pods and groups alike, wherever they run.
///
/// Candidates are the running jobs of the quota that have a lower priority and, where jobs may
/// reclaim, those of other quotas that hold what is borrowed (Borrowing). They are set aside, in
/// turn, until the quota admits the job and the placer finds it a place: so whatever decides where
/// the job may start also decides who has to go. Then those who can stay after all are put back
/// (VictimSearch). The order is that of the priorities, then of the work that would be lost, the
/// least first; then the latest start goes first, and the first to have come. Who would leave a
/// quota less than its min, if all before him went too, goes last of all.
///
/// Returns: nothing where it is not enough that all candidates are gone, or where the victims would
///          leave a quota less than its min; otherwise the job starts at once.
/// Cost:    O(candidates x (log of that + servers of each)), and the placements that VictimSearch
///          asks for: O(log candidates) in vain, and as many for each victim otherwise.
/// Limits:  whole jobs go, also groups that could do with fewer members. Nobody goes twice at one
///          instant, so that an instant ends.
/// Source:  Volcano, `preempt` and `reclaim`; KAI Scheduler, the actions of these names, which also
///          place the preemptor in a simulation of the cluster without the victims. Kubernetes,
///          `dryRunPreemption`, has the way in which victims are spared.
class GangPreemption {
public:
    /// All outlive it.
    GangPreemption(const GangPreemptionSettings& settings,
                   Actions& actions,
                   Placer& placer,
                   QuotaManager& quotas,
                   OwnJobs& jobs);

    /// For a job that waits. It changes nothing.
    [[nodiscard]] std::optional<MadeRoom> find(JobId preemptor);
    /// Victims lose their places now.
    void taken(const std::vector<JobId>& victims);
    /// Whether others may reclaim something from a quota that they could not if it used less.
    [[nodiscard]] bool has_borrowed(core::QuotaId quota) const;
    /// Whether a quota has less than its min of something.
    [[nodiscard]] bool may_reclaim(core::QuotaId quota) const;

private:
    struct Candidate {
        JobId id;
        core::QuotaId quota;
        bool of_own_quota = false;
        std::int64_t lost = 0;  ///< Milliseconds of work, times GPUs.
    };
    void add_candidates(const Job& preemptor,
                        core::QuotaId from,
                        const Borrowing* borrowing,
                        std::vector<Candidate>& candidates) const;
    void put_in_order(std::vector<Candidate>& candidates, std::optional<Borrowing> borrowing) const;
    [[nodiscard]] std::optional<std::vector<std::size_t>> choose(
        const std::vector<Candidate>& candidates,
        const Job& preemptor,
        core::QuotaId quota,
        core::Members most);
    void set_aside(const Candidate& candidate, bool aside);
    [[nodiscard]] core::Members admitted(const Job& job, core::QuotaId quota, core::Members most);
    [[nodiscard]] std::int64_t loss_of(JobId id) const;

    const GangPreemptionSettings& settings_;
    Actions& actions_;
    Placer& placer_;
    QuotaManager& quotas_;
    OwnJobs& jobs_;
    std::size_t service_resource_;
    std::set<JobId> taken_;  ///< At this instant.
    SimTime taken_at_{};
};

}  // namespace berth::sim
