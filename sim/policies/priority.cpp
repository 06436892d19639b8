#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_priority(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.rank = [](const Job& job, std::int64_t /*service*/) {
        return -static_cast<std::int64_t>(job.priority);
    };
    return policy;
}

}  // namespace berth::sim
