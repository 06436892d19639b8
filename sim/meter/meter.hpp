#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/job.hpp"
#include "sim/job/job_state.hpp"
#include "sim/job/stretch.hpp"
#include "sim/meter/metric.hpp"

namespace berth::sim {

class Scheduler;
struct RunResult;

/// Observes a run and reports at its end what it measured. It changes nothing.
class Meter {
public:
    Meter() = default;
    virtual ~Meter() = default;
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;

    /// The run begins: the servers that are absent have left, and nothing has happened yet.
    virtual void begin(Scheduler& /*scheduler*/) {}
    /// A job arrived.
    virtual void submitted(const Job& /*job*/) {}
    /// The same, once it is known whether more jobs are to come, which `more` says. `ended` jobs
    /// have ended by now.
    virtual void arrived(SimTime /*now*/, std::uint64_t /*ended*/, bool /*more*/) {}
    /// A job waits from now on, with its current size; or it no longer waits.
    virtual void waits(JobId /*id*/, const JobState& /*state*/) {}
    virtual void leaves_queue(const JobState& /*state*/) {}
    /// `more` members have started or, if negative, stopped.
    virtual void members_run(core::Members /*more*/) {}
    /// `more` nodes of a level went out or, if negative, came back.
    virtual void nodes_out(core::Level /*level*/, std::int64_t /*more*/) {}
    /// A job loses its places because something failed. `cause` is an index into
    /// Settings::failure_causes, or nothing if the cause is not among them.
    virtual void interrupted(const Job& /*job*/, std::optional<std::uint32_t> /*cause*/) {}
    /// In a run for which Settings::tells_gain() holds: members leave their places, or the run
    /// ends, and it is known what they did and how much of it is lost.
    virtual void stint_over(const Job& /*job*/,
                            const Stint& /*stint*/,
                            const Stretch& /*stretch*/) {}
    /// A member of the job got this inside its server.
    virtual void granted(const Job& /*job*/, const Grant& /*grant*/) {}
    /// For lack of a place, a job was given up, or it waits at the end. `servers` servers, possibly
    /// 0, have the amounts for a member, but not what it asks for inside the server.
    virtual void without_place(const Job& /*job*/, std::uint32_t /*servers*/) {}
    /// The record of a job is complete. Jobs end in a different order than they arrive. `now`
    /// matters for a job that still waits or runs.
    virtual void recorded(const JobRecord& /*record*/, SimTime /*now*/) {}
    /// Accounts for the time up to `now` with the state as it was, then takes in what changed.
    /// Called after everything that happened at one instant, before the clock goes on.
    virtual void settle(SimTime /*now*/) {}
    /// Adds the sampled values; the run must be settled.
    virtual void sample(std::vector<double>& /*out*/) {}
    /// Compares the state that the meter keeps with the state of the run, which is settled.
    [[nodiscard]] virtual std::optional<core::Violation> find_violation() const {
        return std::nullopt;
    }
    /// The run is over.
    virtual void finish(SimTime /*now*/) {}
    /// Adds its metrics: the same names in the same order in every run of one configuration.
    virtual void add_to(std::vector<Metric>& out) const = 0;
    /// Adds all else that it measured.
    virtual void add_tables(RunResult& /*result*/) const {}
};

}  // namespace berth::sim
