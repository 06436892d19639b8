#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/support/violation.hpp"
#include "sim/clock/event.hpp"
#include "sim/cluster/cluster_invariants.hpp"
#include "sim/measure/measures.hpp"
#include "sim/run/drains.hpp"
#include "sim/run/job_life.hpp"
#include "sim/run/outages.hpp"
#include "sim/run/run_control.hpp"
#include "sim/run/spares.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// A bug in berth: after an event, something does not hold that should always hold.
class InvariantError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Compares the whole state of a run with what it should be, each part computed afresh and in a
/// plain way: what servers have free, which job is in which state, every index and cache, the
/// quotas. It changes nothing that could affect a result.
///
/// Cost: a check is O(all jobs alive + nodes x kinds of jobs), in addition to what plans and quotas
///       say.
class Invariants {
public:
    /// To be made at the beginning, before servers are absent and before anything happens. All
    /// arguments outlive it.
    Invariants(const Cluster& cluster,
               const JobLife& jobs,
               const Outages& outages,
               const Drains& drains,
               const Spares* spares,
               const Measures& measures,
               RunControl& control);

    /// Called after an event, the `number`th, has been handled, together with all that followed
    /// from it.
    /// Errors: InvariantError, in one line that says which event, what, where, and what is
    ///         expected.
    void check(const Event& event, std::uint64_t number, Scheduler& scheduler);
    /// The same for what is measured, which takes in the events of an instant when the instant is
    /// over.
    void check_measures() const;

private:
    void fail(const core::Violation& violation) const;

    const JobLife& jobs_;
    const Outages& outages_;
    const Drains& drains_;
    const Spares* spares_;  ///< May be nullptr.
    const Measures& measures_;
    RunControl& control_;
    ClusterInvariants held_;
    Event last_{};  ///< The event after which the last check was made.
    std::uint64_t number_ = 0;
};

}  // namespace berth::sim
