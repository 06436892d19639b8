#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// What other quotas have borrowed, as far as a waiting job may take it back: what they use above
/// their mins of the resources that it asks for.
///
/// Two quotas meet at the lowest quota above both. On the job's side, each quota below that one
/// stays within its min with the job. On the other side, each quota below it uses more than its min
/// of one and the same resource, and what is taken leaves each of them its min of all that it had
/// borrowed. The mins are those that the quotas state, before any scaling. Quotas of other trees
/// and the special groups neither take back nor give back.
///
/// Cost:   O(quotas of the tree x resources) to make, O(depth x resources) a question.
/// Source: Volcano, `reclaim` with the plug-in `capacity` (`deserved` is the min here); KAI
///         Scheduler, `reclaim`, which compares the queues below the lowest common parent.
class Borrowing {
public:
    /// As the quotas are now. The trees outlive it.
    Borrowing(const core::QuotaTrees& trees, core::QuotaId quota, const Job& job);

    /// How many of the job's members may take something back; 0: fewer than it needs.
    [[nodiscard]] core::Members members() const { return members_; }
    /// The quotas with jobs that have borrowed, in the order of the tree.
    [[nodiscard]] const std::vector<core::QuotaId>& borrowers() const { return borrowers_; }
    /// Whether a job of a borrower holds anything of what that has borrowed.
    [[nodiscard]] bool holds_borrowed(core::QuotaId borrower, const Job& job) const;
    /// Whether all keep their mins if members of a borrower's job give back what they hold, besides
    /// those counted so far.
    [[nodiscard]] bool leaves_mins(core::QuotaId borrower,
                                   const Job& job,
                                   core::Members members) const;
    /// Counts them if so, and returns whether it did.
    [[nodiscard]] bool give_back(core::QuotaId borrower, const Job& job, core::Members members);

private:
    [[nodiscard]] core::Members members_within_min(core::QuotaId quota, const Job& job) const;
    void look_for_borrowers(core::QuotaId quota, std::uint64_t resources);

    const core::QuotaTrees& trees_;
    std::uint64_t asked_ = 0;  ///< What the job asks for, of what its quota counts; a bit each.
    core::Members members_ = 0;
    std::vector<core::QuotaId> borrowers_;
    std::map<core::QuotaId, std::uint64_t> borrowed_;  ///< By borrower: in which resources.
    /// By quota and resource, on the way to each borrower: what is left of what it uses above its
    /// min; nothing where it has borrowed nothing.
    std::map<core::QuotaId, std::vector<std::optional<core::Amount>>> above_min_;
};

}  // namespace berth::sim
