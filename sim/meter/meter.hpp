#pragma once

#include <cstdint>
#include <vector>

#include "sim/clock/time.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/job.hpp"
#include "sim/meter/metric.hpp"

namespace berth::sim {

/// Observes a run, and says at its end what it measured. It changes nothing.
class Meter {
public:
    Meter() = default;
    virtual ~Meter() = default;
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;

    /// A job arrived.
    virtual void submitted(const Job& /*job*/) {}
    /// A member of the job got this inside its server.
    virtual void granted(const Job& /*job*/, const Grant& /*grant*/) {}
    /// A job was given up, or waits at the end, for want of a place: so many servers, if
    /// any, have the amounts for a member, and not what it asks for inside.
    virtual void without_place(const Job& /*job*/, std::uint32_t /*servers*/) {}
    /// Accounts for the time up to `now` with everything as it was, then takes in what changed.
    /// Called after everything that happened at one instant, before the clock goes on.
    virtual void settle(SimTime /*now*/) {}
    /// Adds what is sampled; of a run that is settled.
    virtual void sample(std::vector<double>& /*out*/) {}
    /// The run is over.
    virtual void finish(SimTime /*now*/) {}
    /// Adds its metrics: the same names in the same order in every run of one configuration.
    virtual void add_to(std::vector<Metric>& out) const = 0;
};

}  // namespace berth::sim
