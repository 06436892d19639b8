#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_fcfs(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.overtaking = Overtaking::none;
    return policy;
}

}  // namespace berth::sim
