#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/queue_key.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// What becomes of groups that a failure interrupted, if OnFailure lets them go on at once: on what
/// is left of their places, with or without other members in place of the lost ones. A group that
/// cannot go on waits in the queue.
///
/// Cost: O(members) per interrupted job, in addition to the search for places for lost members.
class Recovery {
public:
    /// All arguments outlive it.
    Recovery(const OnFailure& rule, Actions& actions, Placer& placer)
        : rule_(rule), actions_(actions), placer_(placer) {}

    /// A job lost its places in this event and waits again.
    void interrupted(JobId id, const Stay& stay);
    /// Whether any job did in this event.
    [[nodiscard]] bool any() const { return !interrupted_.empty(); }

    struct Interrupted {
        JobId id;
        core::Members ran = 0;  ///< How many members ran until then.
        Attempt left;           ///< Places of these members; from take() on, only those where they
                                ///< may stay.
    };
    /// The jobs of this event that have places left, or may have spares, in the order of the queue.
    /// They hold what is left, so that no other job's lost members are replaced there, until find()
    /// is called for each of them. Spares for what they lost are there from then on, before quotas
    /// are asked, whose runtimes may depend on them.
    [[nodiscard]] std::vector<Interrupted> take(
        const std::function<QueueKey(const Interrupted&)>& in_queue);
    /// Where such a job starts now, given that `admitted` of its members may run. Nothing: it
    /// waits.
    [[nodiscard]] std::optional<Attempt> find(Interrupted&& job, core::Members admitted);

private:
    [[nodiscard]] std::optional<Attempt> with_others(const Interrupted& job);
    [[nodiscard]] std::optional<std::vector<core::PlacedNode>> seek_others(const Interrupted& job);
    [[nodiscard]] bool serves(const Job& job, const Attempt& attempt) const;
    [[nodiscard]] bool keeps_hard_constraints(const Job& job,
                                              const std::vector<core::PlacedNode>& servers) const;
    [[nodiscard]] bool may_stay(const Job& job, core::NodeId server) const;

    const OnFailure& rule_;
    Actions& actions_;
    Placer& placer_;
    std::vector<Interrupted> interrupted_;
};

}  // namespace berth::sim
