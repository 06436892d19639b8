#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

/// Least attained service without preemption: a job has attained service only if it was evicted
/// before, by a quota's recycler, by preemption or with its server; all other jobs are equal and go
/// by entry. Unlike in Tiresias, no job is stopped to let one with less service go first, and
/// service is not grouped into steps.
/// Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning" (NSDI 2019),
///         section 3.2: 2D-LAS, where the service is the number of GPUs times the time.
QueuePolicy make_least_attained_service(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.rank = [](const Job& /*job*/, std::int64_t service) { return service; };
    return policy;
}

}  // namespace berth::sim
