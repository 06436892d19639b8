#pragma once

#include <cstdint>
#include <vector>

#include "sim/clock/time.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/job.hpp"
#include "sim/job/job_state.hpp"
#include "sim/meter/metric.hpp"

namespace berth::sim {

class Scheduler;
struct RunResult;

/// Observes a run, and says at its end what it measured. It changes nothing.
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
    /// The same, once the next one is known. `ended` jobs have ended by now; without `more` to
    /// come it was the last.
    virtual void arrived(SimTime /*now*/, std::uint64_t /*ended*/, bool /*more*/) {}
    /// A job waits from now on, with the size that it has; or no longer.
    virtual void waits(JobId /*id*/, const JobState& /*state*/) {}
    virtual void leaves_queue(const JobState& /*state*/) {}
    /// So many more members run, or, negative, have stopped.
    virtual void members_run(core::Members /*more*/) {}
    /// A member of the job got this inside its server.
    virtual void granted(const Job& /*job*/, const Grant& /*grant*/) {}
    /// A job was given up, or waits at the end, for want of a place: so many servers, if
    /// any, have the amounts for a member, and not what it asks for inside.
    virtual void without_place(const Job& /*job*/, std::uint32_t /*servers*/) {}
    /// The record of a job is complete, and so are those of all jobs that came before it. `now`
    /// matters for one that still waits or runs.
    virtual void recorded(const JobRecord& /*record*/, SimTime /*now*/) {}
    /// Accounts for the time up to `now` with everything as it was, then takes in what changed.
    /// Called after everything that happened at one instant, before the clock goes on.
    virtual void settle(SimTime /*now*/) {}
    /// Adds what is sampled; of a run that is settled.
    virtual void sample(std::vector<double>& /*out*/) {}
    /// The run is over.
    virtual void finish(SimTime /*now*/) {}
    /// Adds its metrics: the same names in the same order in every run of one configuration.
    virtual void add_to(std::vector<Metric>& out) const = 0;
    /// Puts in what it measured besides.
    virtual void add_tables(RunResult& /*result*/) const {}
};

}  // namespace berth::sim
