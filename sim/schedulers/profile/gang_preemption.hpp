#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/admission.hpp"
#include "sim/profile/placer.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/quota/quota_settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Finds which of some candidates have to be gone so that something has room.
///
/// The candidates are numbered in the order in which they go. They go in this order until it is
/// enough; then candidates that can stay after all come back, those that go last first. Half of the
/// candidates that are left to ask about are asked about together, because most of them can stay.
///
/// Returns: nothing if it is not enough that all are gone; then all are back. Otherwise, the
///          victims are minimal: none of them alone could stay, provided that more room is never
///          worse.
/// Cost:    O(victims x log(candidates)) questions whether it is enough, or O(log(candidates)) if
///          it never is; in addition, each candidate goes and comes back O(log(candidates)) times.
class VictimSearch {
public:
    struct Questions {
        std::function<void(std::size_t candidate, bool gone)> set_gone;
        std::function<bool()> enough;
    };
    explicit VictimSearch(Questions questions) : questions_(std::move(questions)) {}

    /// At first, all candidates are there. Returns the candidates that are gone now, in their
    /// order.
    [[nodiscard]] std::optional<std::vector<std::size_t>> find(std::size_t candidates);

private:
    void set_gone(std::size_t begin, std::size_t end, bool gone);
    void spare(std::size_t begin, std::size_t end);

    Questions questions_;
    std::vector<std::size_t> victims_;  ///< The victims so far, the last one first.
};

/// What other quotas have borrowed, as far as a waiting job may take it back: what they use above
/// their mins, for the resources that the job asks for.
///
/// Two quotas meet at the lowest quota above both. On the job's side, each quota below that one
/// stays within its min with the job. On the other side, each quota below it uses more than its min
/// of one and the same resource, and what is taken leaves each of them its min of every resource
/// that it had borrowed. The mins are those that the quotas state, before any scaling. Quotas of
/// other trees and the special groups neither take back nor give back.
///
/// Cost:   O(quotas of the tree x resources) to make, O(depth x resources) per question.
/// Source: Volcano, `reclaim` with the plug-in `capacity` (`deserved` is the min here); KAI
///         Scheduler, `reclaim`, which compares the queues below the lowest common parent.
class Borrowing {
public:
    /// Made for the current state of the quotas. `trees` outlives it.
    Borrowing(const core::QuotaTrees& trees, core::QuotaId quota, const Job& job);

    /// How many of the job's members may take something back; 0 if fewer than it needs.
    [[nodiscard]] core::Members members() const { return members_; }
    /// The quotas with jobs that have borrowed, in the order of the tree.
    [[nodiscard]] const std::vector<core::QuotaId>& borrowers() const { return borrowers_; }
    /// Whether a job of a borrower holds anything of what the borrower has borrowed.
    [[nodiscard]] bool holds_borrowed(core::QuotaId borrower, const Job& job) const;
    /// Whether all quotas keep their mins if these members of a borrower's job give back what they
    /// hold, in addition to the members counted so far.
    [[nodiscard]] bool leaves_mins(core::QuotaId borrower,
                                   const Job& job,
                                   core::Members members) const;
    /// Counts these members if leaves_mins() holds for them. Returns whether it did.
    [[nodiscard]] bool give_back(core::QuotaId borrower, const Job& job, core::Members members);

private:
    [[nodiscard]] core::Members members_within_min(core::QuotaId quota, const Job& job) const;
    void look_for_borrowers(core::QuotaId quota, std::uint64_t resources);

    const core::QuotaTrees& trees_;
    std::uint64_t asked_ = 0;  ///< Resources that the job asks for and its quota counts, one bit
                               ///< each.
    core::Members members_ = 0;
    std::vector<core::QuotaId> borrowers_;
    std::map<core::QuotaId, std::uint64_t> borrowed_;  ///< Resources that each borrower has
                                                       ///< borrowed.
    /// What is left of a quota's use above its min, by quota and resource, on the way to each
    /// borrower; nothing if the quota has borrowed none of the resource.
    std::map<core::QuotaId, std::vector<std::optional<core::Amount>>> above_min_;
};

/// The jobs that lose their places to a waiting job, and where that job then starts.
struct MadeRoom {
    std::vector<JobId> victims;
    Placement placement;
};

/// Preemption by whole jobs, of whole jobs: single pods and groups alike, wherever they run.
///
/// Candidates are the running jobs of the quota that have a lower priority and, where jobs may
/// reclaim, those jobs of other quotas that hold what is borrowed (Borrowing). They are set aside
/// in turn until the quota admits the job and the placer finds it a place: so whatever decides
/// where the job may start also decides which jobs have to go. Then jobs that can stay after all
/// are put back (VictimSearch). Jobs go in the order of ascending priority, then of the work that
/// would be lost, the least first, then of the start, the latest first, then of arrival. A job
/// whose loss would leave a quota less than its min, once all jobs before it are gone, goes last of
/// all.
///
/// Returns: nothing if it is not enough that all candidates are gone, or if the victims would leave
///          a quota less than its min; otherwise the job starts at once.
/// Cost:    O(candidates x (log of that + servers of each)), and the placements that VictimSearch
///          asks for: O(log candidates) in vain, and otherwise as many for each victim.
/// Limits:  whole jobs go, even groups that could do with fewer members. No job goes twice at one
///          instant, so that an instant ends.
/// Source:  Volcano, `preempt` and `reclaim`; KAI Scheduler, the actions of these names, which also
///          place the preemptor in a simulation of the cluster without the victims. Kubernetes,
///          `dryRunPreemption`, has the way in which victims are spared.
class GangPreemption {
public:
    /// All arguments outlive it.
    GangPreemption(const GangPreemptionSettings& settings,
                   Actions& actions,
                   Placer& placer,
                   QuotaManager& quotas,
                   OwnJobs& jobs);

    /// Looks for room for a waiting job. It changes nothing.
    [[nodiscard]] std::optional<MadeRoom> find(JobId preemptor);
    /// These victims lose their places now.
    void taken(const std::vector<JobId>& victims);
    /// Whether others may reclaim something from a quota that they could not reclaim if it used
    /// less.
    [[nodiscard]] bool has_borrowed(core::QuotaId quota) const;
    /// Whether a quota has less than its min of something.
    [[nodiscard]] bool may_reclaim(core::QuotaId quota) const;

private:
    struct Candidate {
        JobId id;
        core::QuotaId quota;
        bool of_own_quota = false;
        std::int64_t lost = 0;  ///< Milliseconds of work that would be lost, times GPUs.
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
    std::set<JobId> taken_;  ///< Victims of this instant.
    SimTime taken_at_{};
};

}  // namespace berth::sim
