#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/tree/ids.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/job.hpp"
#include "workloads/failures/optimal_interval.hpp"

namespace berth::workloads {

/// How the jobs of a trace write checkpoints: all as it is said of the trace, each at the optimal
/// interval of its own where that is asked for.
class TraceCheckpoints {
public:
    /// Without `rates`, an interval that is asked for to be optimal stays 0.
    TraceCheckpoints(std::optional<sim::Checkpoint> stated,
                     std::shared_ptr<const InterruptionRates> rates);

    /// Cost: O(log kinds) a job; an interval is computed once for all that ask for the same.
    void put_in(sim::Job& job);

private:
    /// What the interruptions of a job are estimated from: its size, how many of its application
    /// may share a server, and what a member asks for.
    using Kind = std::tuple<core::Members, core::Members, sim::Demand>;

    std::optional<sim::Checkpoint> stated_;
    std::shared_ptr<const InterruptionRates> rates_;
    std::map<Kind, sim::SimTime> optimal_;
};

}  // namespace berth::workloads
