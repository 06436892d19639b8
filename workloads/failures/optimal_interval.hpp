#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/job.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::workloads {

/// Estimates how often the random causes of a model interrupt a job, from what it asks for alone.
///
/// Its servers are those that have the amounts for a member when nothing is in use; all servers if
/// there is none. It is thought to occupy as few of them as hold its members, each as many as the
/// one with the most room, and of a level above, as few nodes as have so many servers in the mean.
/// Each of its servers fails as such servers do in the mean, for their causes, those of their
/// devices, and the lemons among them. A cause fails at the rate of one over its mean time between
/// repair and failure.
class InterruptionRates {
public:
    InterruptionRates(const FailureModel& model, std::shared_ptr<const core::Topology> tree);
    /// Interruptions a second; 0 if nothing that can fail interrupts it.
    ///
    /// Cost: O(machine types x (resources + causes)).
    [[nodiscard]] double of(const sim::Job& job) const;

private:
    struct Type {
        std::uint32_t servers = 0;
        double rate = 0;  ///< Of one server.
    };
    std::shared_ptr<const core::Topology> tree_;
    std::vector<Type> types_;                       ///< By machine type.
    std::vector<std::pair<double, double>> above_;  ///< Nodes for each server, and the rate of one.
};

/// The interval of work between two checkpoints with which the work takes the least time, where
/// they take `takes` and interruptions come at random, every `between` in the mean.
///
/// Shape:  `takes` and `between` above 0, in seconds.
/// Source: J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart
///         dumps, Future Generation Computer Systems 22 (2006).
[[nodiscard]] double optimal_interval(double takes, double between);

/// Puts in the interval of a job whose checkpoint has none; one that nothing interrupts writes
/// none.
void set_optimal_interval(sim::Job& job, const InterruptionRates& rates);

}  // namespace berth::workloads
