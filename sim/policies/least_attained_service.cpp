#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

/// Least attained service without preemption: a job has attained something only where it was
/// evicted before, by a quota's recycler, by preemption or with its server; all others are alike,
/// by entry. Nobody is stopped to let one that had less go first, and service is not grouped into
/// steps, as Tiresias does both.
/// Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning" (NSDI 2019),
///         section 3.2: 2D-LAS, where the service is the number of GPUs times the time.
QueuePolicy make_least_attained_service(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.rank = [](const Job& /*job*/, std::int64_t service) { return service; };
    return policy;
}

}  // namespace berth::sim
