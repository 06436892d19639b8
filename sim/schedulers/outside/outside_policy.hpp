#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/schedulers/outside/outside_actions.hpp"

namespace berth::sim {

/// A scheduler that somebody else wrote, as berth drives it: it is told what happened, and decides
/// once at each instant at which something did, after all events of that instant, once as the run
/// begins, and when it asked to be woken. It may look at any time, and acts in decide() alone.
///
/// It is told of what its own verbs do while they do it; that gives it no further turn. Jobs that
/// it has started and that end at the same instant do.
/// Errors: whatever it throws ends the run.
class OutsidePolicy {
public:
    OutsidePolicy() = default;
    virtual ~OutsidePolicy() = default;
    OutsidePolicy(const OutsidePolicy&) = delete;
    OutsidePolicy& operator=(const OutsidePolicy&) = delete;

    virtual void decide(OutsideActions& act) = 0;

    /// A job has come. It waits; or it runs already because it was found on its server, and
    /// started() follows.
    virtual void submitted(JobId /*id*/) {}
    virtual void started(JobId /*id*/) {}
    /// A job lost its places and waits again.
    virtual void evicted(JobId /*id*/) {}
    /// A job has finished, was rejected or given up, or the run is over. Afterwards another job may
    /// get its number.
    virtual void ended(JobId /*id*/) {}
    /// A server came, or left; all jobs on it were evicted before.
    virtual void server_changed(core::ServerId /*server*/, bool /*up*/) {}
    /// The turn that follows is one that it asked for.
    virtual void woken() {}

    /// Where the members of a running group are to be that asks for another size, without moving
    /// any that stays; nothing: it does not get that size. By default it gets none that is larger,
    /// and members on its last servers leave for a smaller one.
    [[nodiscard]] virtual std::optional<std::vector<core::PlacedNode>> resized(
        const OutsideActions& see, JobId id, core::Members size);

    /// Why a job still waits at the end of the run.
    [[nodiscard]] virtual std::string why_waiting(JobId /*id*/) {
        return "the scheduler did not start it.";
    }
};

/// Makes the policy of a run, which may look at what it is given as long as it lives.
using MakePolicy = std::function<std::unique_ptr<OutsidePolicy>(const OutsideActions& see)>;

}  // namespace berth::sim
