#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/clock/optional_time.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// A pod that waits for a node.
struct QueuedPod {
    std::uint64_t number = 0;  ///< No two pods of a run have the same.
    JobId job;
    std::int64_t priority = 0;
    SimTime since{};             ///< When it came into the queue, or came back.
    std::uint64_t turn = 0;      ///< Grows with each pod that comes or comes back.
    std::uint32_t failures = 0;  ///< How often no node was feasible.
    std::uint32_t errors = 0;    ///< How often a cycle failed, one after the other.
    SimTime backoff_until{};
    OptionalTime taken_early;  ///< When it was last taken before the end of its backoff.
    /// These plugins rejected a node; none if the cycle failed.
    std::set<std::string_view> rejected_by;
    std::uint64_t seen = 0;  ///< Of a pod of a gang: the changes of the cluster at its last cycle.
};

/// kube-scheduler's scheduling queue. Pods are active, wait for their backoff, or wait until
/// something happens that may help them.
///
/// Order:  the highest priority first, then the pod that waits longest. If no pod is active, those
///         that back off are taken, too, the earliest expiry first; but not those of failed cycles,
///         and no pod twice at one instant: pods that take each other's places would do so without
///         end while no time passes.
/// Cost:   O(log pods) for each change; move_if() looks at all pods that wait for an event.
/// Source: Kubernetes, pkg/scheduler/backend/queue.
class SchedulingQueue {
public:
    /// How long a pod backs off after its first failure, and at most. Each failure doubles it.
    SchedulingQueue(SimTime first_backoff, SimTime longest_backoff)
        : first_backoff_(first_backoff), longest_backoff_(longest_backoff) {}

    /// A new pod, or one that comes back without having failed.
    void add(QueuedPod pod, SimTime now);
    /// The next pod, which is in no part of the queue afterwards.
    [[nodiscard]] std::optional<QueuedPod> pop(SimTime now);
    /// A pod that pop() gave found no feasible node: it waits for an event.
    void put_back(QueuedPod pod, std::set<std::string_view> rejected_by, SimTime now);
    /// Its cycle failed: it waits for its backoff.
    void put_back_after_error(QueuedPod pod, SimTime now);
    /// A new pod of a group that lacks pods, or one whose group was tried and does not start: it
    /// waits until activate_parked() takes it, or others of its group. `is_active`: others leave
    /// for the group, which is tried again then.
    void wait_for_group(QueuedPod pod, SimTime now);
    void park(QueuedPod pod,
              std::set<std::string_view> rejected_by,
              std::uint64_t seen,
              SimTime now,
              bool is_active);
    void activate_parked(SimTime now, const std::function<bool(const QueuedPod&)>& is_retried);
    /// A new pod that is not tried before the first backoff is over.
    void let_rest(QueuedPod pod, SimTime now);
    /// Pods that pop() or take_all_of() gave back off together, until all of them may be tried.
    void let_rest(std::vector<QueuedPod> pods);
    /// All pods of a job leave the queue, wherever they are.
    [[nodiscard]] std::vector<QueuedPod> take_all_of(JobId job);
    /// Something happened: those pods that wait for an event and for which `helps` may be tried
    /// again.
    void move_if(SimTime now, const std::function<bool(const QueuedPod&)>& helps);
    /// The job's pod with the highest number leaves the queue, wherever it is.
    /// Returns: its number; nothing if no pod of the job is in the queue.
    std::optional<std::uint64_t> remove_last_of(JobId job);

    /// Pods whose backoff is over become active. At a whole half minute, those that have waited
    /// for an event for five minutes may be tried again, too. Returns whether there were such.
    bool tick(SimTime now);
    /// When tick() has something to do after `now`; nothing if no pod waits for time. `retries`:
    /// whether pods that wait for an event are to be tried again after five minutes.
    [[nodiscard]] std::optional<SimTime> next_tick(SimTime now, bool retries) const;

    [[nodiscard]] std::size_t size() const { return place_.size(); }
    [[nodiscard]] bool can_pop() const { return !active_.empty() || !backoff_.empty(); }
    [[nodiscard]] bool has_parked() const { return !parked_.empty(); }

private:
    enum class Part : std::uint8_t {
        active,
        backoff,
        rests,   ///< It backs off, and is not taken early.
        waits,   ///< It waits for an event.
        parked,  ///< It waits until its group is tried.
    };
    struct Entry {
        QueuedPod pod;
        Part part = Part::active;
    };
    /// Priority (the highest first), then turn; and the number.
    using Rank = std::tuple<std::int64_t, std::uint64_t, std::uint64_t>;
    using Expiry = std::pair<SimTime, Rank>;

    [[nodiscard]] static Rank rank(const QueuedPod& pod) {
        return {-pod.priority, pod.turn, pod.number};
    }
    [[nodiscard]] SimTime backoff_of(const QueuedPod& pod) const;
    void stamp(QueuedPod& pod, SimTime now);
    void begin_backoff(QueuedPod& pod, SimTime now);
    void enter(QueuedPod pod, Part part);
    [[nodiscard]] QueuedPod take(std::uint64_t number);
    void activate(std::uint64_t number, SimTime now);

    SimTime first_backoff_;
    SimTime longest_backoff_;
    std::map<std::uint64_t, Entry> place_;  ///< Every pod in the queue, by its number.
    std::set<Rank> active_;
    std::set<Expiry> backoff_;
    std::set<Expiry> rests_;
    std::map<std::uint64_t, std::uint64_t> waits_;  ///< The number of each, by its turn.
    std::set<std::uint64_t> parked_;                ///< By number.
    std::map<JobId, std::set<std::uint64_t>> of_job_;
    std::uint64_t turns_ = 0;
};

}  // namespace berth::sim
