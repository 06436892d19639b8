#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/schedulers/outside/outside_actions.hpp"

namespace berth::sim {

/// A scheduler that the user wrote, as berth drives it. It is told what happened. It decides once
/// when the run begins, once at each instant at which something happened, after all events of that
/// instant, and when it asked to be woken. It may look at any time, but acts only in decide().
///
/// It is told of the effects of its own verbs while they take effect; that gives it no further
/// turn. Jobs that it has started and that end at the same instant do give it one.
/// Errors: whatever it throws ends the run.
class OutsidePolicy {
public:
    OutsidePolicy() = default;
    virtual ~OutsidePolicy() = default;
    OutsidePolicy(const OutsidePolicy&) = delete;
    OutsidePolicy& operator=(const OutsidePolicy&) = delete;

    virtual void decide(OutsideActions& act) = 0;

    /// A job has arrived. It waits; or it already runs because it was found on its server, and
    /// started() follows.
    virtual void submitted(JobId /*id*/) {}
    virtual void started(JobId /*id*/) {}
    /// A job lost its places and waits again.
    virtual void evicted(JobId /*id*/) {}
    /// A job has finished, was rejected or given up, or the run is over. Afterwards another job may
    /// get its id.
    virtual void ended(JobId /*id*/) {}
    /// A server came, or left; all jobs on it were evicted before.
    virtual void server_changed(core::ServerId /*server*/, bool /*up*/) {}
    /// The next turn is one that it asked for.
    virtual void woken() {}

    /// Where the members of a running group that asks for another size are to be, without moving
    /// any that stays; nothing: the group does not get that size. By default a group gets no larger
    /// size, and for a smaller one, members on its last servers leave.
    [[nodiscard]] virtual std::optional<std::vector<core::PlacedNode>> resized(
        const OutsideActions& see, JobId id, core::Members size);

    /// Why a job still waits at the end of the run.
    [[nodiscard]] virtual std::string why_waiting(JobId /*id*/) {
        return "the scheduler did not start it.";
    }
};

/// Makes the policy of a run, which may look at `see` as long as the policy lives.
using MakePolicy = std::function<std::unique_ptr<OutsidePolicy>(const OutsideActions& see)>;

}  // namespace berth::sim
