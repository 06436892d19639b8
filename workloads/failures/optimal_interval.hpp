#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/job.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::workloads {

/// Estimates, from a job's requests alone, how often the random causes of a model interrupt it.
///
/// The servers that count for a job are those with room for a member when nothing is in use, or all
/// servers if none has that room. The job is assumed to occupy as few of them as can hold its
/// members, where each server takes as many members as the one with the most room, and, at each
/// level above, as few nodes as contain that many servers on average. Each of its servers fails at
/// the mean rate of the servers that count, which covers their own causes, the causes of their
/// devices, and the lemons among them. A cause fails at the rate of one over its mean time between
/// repair and failure.
class InterruptionRates {
public:
    InterruptionRates(const FailureModel& model, std::shared_ptr<const core::Topology> tree);
    /// Interruptions per second; 0 if nothing that can fail interrupts the job.
    ///
    /// Cost: O(machine types x (resources + causes)).
    [[nodiscard]] double of(const sim::Job& job) const;

private:
    struct Type {
        std::uint32_t servers = 0;
        double rate = 0;  ///< Failures per second of one server of this type.
    };
    std::shared_ptr<const core::Topology> tree_;
    std::vector<Type> types_;                       ///< Indexed by machine type.
    std::vector<std::pair<double, double>> above_;  ///< For each cause above the servers: nodes per
                                                    ///< server, and the failure rate of one node.
};

/// The interval of work between two checkpoints that finishes the work soonest, where writing a
/// checkpoint takes `takes` and interruptions come at random, every `between` on average.
///
/// Shape:  `takes` and `between` above 0, in seconds.
/// Source: J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart
///         dumps, Future Generation Computer Systems 22 (2006).
[[nodiscard]] double optimal_interval(double takes, double between);

/// Sets the interval of a job whose checkpoint has none. A job that nothing interrupts writes no
/// checkpoints.
void set_optimal_interval(sim::Job& job, const InterruptionRates& rates);

}  // namespace berth::workloads
