#include <chrono>

#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

/// Source: like Slurm's fair-share factor, without shares: usage is halved with each half-life
///         (PriorityDecayHalfLife), and the owner that used least comes first.
QueuePolicy make_fair_share(QueueOptions& options) {
    QueuePolicy policy;
    policy.owners = OwnerMeasure::decayed_usage;
    policy.half_life = options.duration("halfLife", std::chrono::hours(7 * 24));
    return policy;
}

}  // namespace berth::sim
