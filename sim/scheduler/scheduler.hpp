#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job_state.hpp"
#include "sim/quota/quota_settings.hpp"
#include "sim/scheduler/refusal.hpp"

namespace berth::sim {

class JobObserver;
class Meter;
class QuotaManager;

/// Where members of a job start.
struct Placement {
    std::vector<core::PlacedNode> servers;        ///< How many members on each server, in the order
                                                  ///< of the tree.
    core::LogicalTree tree;                       ///< The same placement as a tree, for a group; or
                                                  ///< empty.
    std::optional<core::LogicalTree> attainable;  ///< What the exact solver would have given it.
    /// What each member gets inside its server. If this is empty, or has too few entries for a
    /// server, the profile chooses.
    PlannedGrants grants{};
    /// How long a job that trains is launched before its members work.
    SimTime launch{};
};

/// What a job had before it lost its places.
struct Stay {
    SimTime since{};  ///< When it started.
    /// Stints of members that ran until its end; members that left earlier are in the record.
    Stints stints;
    SimTime lost{};  ///< Work that it has to do again.
};

/// A scheduler's timers. At one instant they ring in this order, after all arrivals of that
/// instant. The third timer is for cycles: a run without an end time of its own ends when nothing
/// else is to come and this timer has rung in vain a hundred times more than the number of
/// waiting jobs.
enum class Timer : std::uint8_t { first, second, third };

/// What a scheduler sees of a run, and what it may do. Each verb is checked against the job's state
/// and against what is free before anything happens: a verb that cannot be carried out is a bug in
/// the scheduler and aborts. The scheduler is told of the effects of its own verbs just as of
/// everything else.
class Actions {
public:
    virtual ~Actions() = default;

    [[nodiscard]] virtual SimTime now() const = 0;
    [[nodiscard]] virtual const JobState& job(JobId id) const = 0;
    /// The servers, what is free on them, and where a job has room. Claims are not made here but by
    /// start().
    [[nodiscard]] virtual const Cluster& cluster() const = 0;
    /// Visits all jobs that have arrived and have not ended, in the order of arrival.
    virtual void each_job(const std::function<void(JobId)>& visit) const = 0;
    /// Whether anything is left to decide about: a job that has not ended, or one that is still to
    /// come.
    [[nodiscard]] virtual bool more_to_come() const = 0;

    /// Starts members of a waiting job, or more members of a running one. They work once there are
    /// min_available of them; with fewer, they only hold their places.
    virtual void start(JobId id, Placement placement) = 0;
    /// Members of a waiting job hold these places, so that searches see them as taken, until
    /// let_go() in the same event.
    virtual void hold(JobId id, const Placement& placement) = 0;
    virtual void let_go(JobId id) = 0;
    /// In a run that keeps spares, offers a waiting job one spare for each of these servers on
    /// which it lost its members, as far as there are any. The spares are there until the event is
    /// over, and stay if a job starts on them.
    virtual void offer_spares(JobId id, const std::vector<core::ServerId>& lost) = 0;
    /// Searches see what a running job holds as free until put_back() in the same event. The job
    /// runs on meanwhile.
    virtual void set_aside(JobId id) = 0;
    virtual void put_back(JobId id) = 0;
    /// The work that a running job would have to do again if it were evicted now.
    [[nodiscard]] virtual SimTime would_lose(JobId id) const = 0;
    /// A running job loses its places and waits again, with the part of its work that
    /// Settings::lost_work leaves it: at once, or after a grace period in which it works on and may
    /// end.
    virtual void evict(JobId id, EvictionCause cause, SimTime grace = SimTime(0)) = 0;
    /// A running job gives back what its members hold and does nothing until all of them are
    /// resumed, there or elsewhere. What it has done is kept.
    virtual void suspend(JobId id) = 0;
    virtual void resume(JobId id, Placement placement) = 0;
    /// The members of a running job go elsewhere, all at once, and lose as much work as in an
    /// eviction.
    virtual void move(JobId id, Placement placement) = 0;
    /// From now on, a waiting job asks for `size` members (`after` is empty), or the members of a
    /// running job are on the servers `after`. No member that stays moves.
    virtual void resize(JobId id,
                        core::Members size,
                        const std::vector<core::PlacedNode>& after) = 0;
    /// A running job does not get the size that it asked for.
    virtual void refuse_resize(JobId id) = 0;
    /// A waiting job is refused for good, for this reason; drop() gives it up, and why_waiting()
    /// says why.
    virtual void reject(JobId id, std::string reason) = 0;
    virtual void drop(JobId id) = 0;
    /// Notes the result of the search for a place for a waiting job: how many of its members have
    /// one.
    virtual void note_attempt(JobId id,
                              core::Members placed,
                              std::optional<core::LogicalTree> attainable) = 0;
    /// From now on, the pods of a waiting job may run only on these servers; nullptr: anywhere.
    virtual void select_nodes(JobId id, std::shared_ptr<const NodeSelector> nodes) = 0;
    /// Writes a condition of a job that has not ended into its record, with the time.
    virtual void set_condition(JobId id, Condition::Type type, std::string message) = 0;
    /// Rings a timer at that time, once for each call.
    virtual void wake(SimTime at, Timer timer) = 0;
    /// Cancels the ring that was asked for last, if it is still to come.
    virtual void call_off(Timer timer) = 0;
};

/// Decides which jobs run where. It is told what has already happened, and acts through Actions at
/// any time. It keeps its own queue and its own books.
class Scheduler {
public:
    virtual ~Scheduler() = default;

    /// Why a job that has just arrived is turned away; nothing if it is not. Asked before all else.
    [[nodiscard]] virtual std::optional<std::string> rejects(JobId /*id*/) { return std::nullopt; }
    /// A job has arrived. It waits, or it runs already because it was found on its server.
    virtual void submitted(JobId id) = 0;
    /// Members started; `fresh`: the job waited before.
    virtual void started(JobId /*id*/, bool /*fresh*/) {}
    /// A job lost its places and waits again.
    virtual void evicted(JobId /*id*/, const Stay& /*stay*/, EvictionCause /*cause*/) {}
    /// A job holds nothing for a while. When it goes on, started() is called.
    virtual void suspended(JobId /*id*/, const Stay& /*stay*/) {}
    /// Whether a training job gives back its places when its batch size changes, as if this
    /// scheduler had suspended it. Otherwise, it goes on there at once: it has moved to its places.
    [[nodiscard]] virtual bool ends_leases() const { return false; }
    /// A job has left its places for other places.
    virtual void moved(JobId /*id*/, const Stay& /*stay*/) {}
    /// A job asks for another size: the answer is resize() or, if it runs, refuse_resize().
    virtual void resize_asked(JobId id, core::Members size) = 0;
    /// A job has ended; its record is complete.
    virtual void ended(JobId /*id*/) {}
    /// A server came, or left; all jobs on it were evicted before. `outside` is what is in use on
    /// it that does not belong to this run. `foreseen`: only because of a drain, and at the planned
    /// time.
    virtual void server_changed(core::ServerId /*server*/,
                                bool /*up*/,
                                const std::vector<core::Amount>& /*outside*/,
                                bool /*foreseen*/) {}
    /// A drain is over, and servers that never left take pods again. Or, if not `foreseen`, it is
    /// no longer known, or known again, when servers that are away for a drain come back.
    virtual void drains_changed(bool /*foreseen*/) {}
    /// The experiment changes quotas: the change that has this number in the settings.
    virtual void change_quotas(std::uint32_t /*change*/) {}
    /// A timer rings.
    virtual void woken(Timer timer) = 0;
    /// Called after each event, when everything that followed from it has happened.
    virtual void event_handled() {}

    /// Compares its own books with a fresh computation, after an event. It decides and changes
    /// nothing.
    [[nodiscard]] virtual std::optional<core::Violation> find_violation() { return std::nullopt; }

    /// Why a waiting job has not started.
    [[nodiscard]] virtual Refusal why_waiting(JobId /*id*/) { return {}; }
    /// Whether a waiting job could not start even if it had room.
    [[nodiscard]] virtual bool holds_back(JobId /*id*/) { return false; }
    /// The quota that a job is accounted to, for its record.
    [[nodiscard]] virtual const std::string& quota_of(JobId id) = 0;
    /// The scheduler's quotas, for sampling; nullptr if it has none.
    [[nodiscard]] virtual QuotaManager* quotas() { return nullptr; }
    /// What the scheduler measures about itself; nullptr if it measures nothing.
    [[nodiscard]] virtual Meter* meter() { return nullptr; }
    /// How many places it has sought so far.
    [[nodiscard]] virtual std::uint64_t decisions() const { return 0; }
    /// Shows `observer` each turn of the job that has this number of arrival.
    virtual void watch(std::uint64_t /*arrival*/, JobObserver& /*observer*/) {}
};

/// Makes the scheduler of a run. `actions` outlives it.
using MakeScheduler = std::function<std::unique_ptr<Scheduler>(Actions& actions)>;

}  // namespace berth::sim
