#pragma once

#include "schedulers/kai/decide/queues.hpp"

namespace berth::core::kai {

/// What a queue would do next.
struct NextOfQueue {
    QueueIndex queue = 0;
    Amounts request{};  ///< Of its best job; 0 if it offers victims.
    /// What it would then have more: the request, less what its victims have.
    Amounts change{};
};

/// Whether one queue is served before another one: first queues that have less than they deserve,
/// then by priority, then by the largest part of a resource that they would have.
///
/// `total`: what the cluster has, for resources without a limit.
/// Order:   queues that were created at the same time are not less than each other in KAI's sense:
///          the second one goes first.
[[nodiscard]] bool is_before(const Queues& queues,
                             const NextOfQueue& a,
                             const NextOfQueue& b,
                             const Amounts& total);

}  // namespace berth::core::kai
