#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/queue_key.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// What becomes of groups that a failure interrupted where OnFailure lets them go on at once: on
/// what is left of their places, with others in place of the members that were lost, or without.
/// Whoever cannot waits in the queue.
///
/// Cost: O(members) a job that was interrupted, besides the search for places for those lost.
class Recovery {
public:
    /// All outlive it.
    Recovery(const OnFailure& rule, Actions& actions, Placer& placer)
        : rule_(rule), actions_(actions), placer_(placer) {}

    /// A job lost its places in this event and waits again.
    void interrupted(JobId id, const Stay& stay);
    /// Whether some did in this event.
    [[nodiscard]] bool any() const { return !interrupted_.empty(); }

    struct Interrupted {
        JobId id;
        core::Members ran = 0;  ///< Members, until then.
        Attempt left;           ///< Their places: from take() on, those where they may stay.
    };
    /// Those of this event that have places left, or may have spares, in the order of the queue.
    /// They hold what is left, so that nobody's lost members are replaced there, until find() is
    /// asked of each. Spares for what they lost are there from then on, before quotas are asked,
    /// whose runtime they may be a part of.
    [[nodiscard]] std::vector<Interrupted> take(
        const std::function<QueueKey(const Interrupted&)>& in_queue);
    /// Where such a job starts now; of its members, `admitted` may run. Nothing: it waits.
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
