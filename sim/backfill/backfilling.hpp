#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "sim/profile/admission.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/waiting_queue.hpp"
#include "sim/scheduler/follower.hpp"

namespace berth::sim {

/// Decides which jobs may start before a job that waits ahead of them and finds no place. This base
/// class lets none start; the classes that QueuePolicy::backfilling makes plan ahead.
class Backfilling : public Follower {
public:
    void runs(JobId /*id*/, core::Members /*pods*/) override {}
    void stops(JobId /*id*/, const Stints& /*stints*/, core::Members /*pods*/) override {}
    /// A job begins to wait, or asks for another size; or it no longer waits.
    virtual void waits(JobId /*id*/) {}
    virtual void leaves_queue(JobId /*id*/) {}
    virtual void servers_changed() {}

    /// Whether backfill() tries all jobs; otherwise, the jobs up to the first that finds no place
    /// were tried before.
    [[nodiscard]] virtual bool tries_everybody() const { return false; }
    /// Starts all jobs that may start, in the order of the queue. Returns whether any did.
    virtual bool backfill() { return false; }
    /// When a job may start even if nothing happens until then.
    [[nodiscard]] virtual std::optional<SimTime> next_start() const { return std::nullopt; }
};

/// What backfilling works with, all of which outlives it.
struct BackfillContext {
    const Settings& settings;
    const Actions& actions;
    WaitingQueue& queue;
    Admission& admission;
    OwnJobs& jobs;
    /// Starts a job that the queue has selected, with `admitted` members.
    std::function<void(JobId id, core::Members admitted, Attempt attempt)> start;
};

}  // namespace berth::sim
