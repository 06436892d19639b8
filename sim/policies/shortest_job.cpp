#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_shortest_job(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.rank = [](const Job& job, std::int64_t /*service*/) {
        return job.stated_duration().value_or(never).count();
    };
    return policy;
}

}  // namespace berth::sim
