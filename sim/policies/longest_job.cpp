#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_longest_job(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.rank = [](const Job& job, std::int64_t /*service*/) {
        return -job.stated_duration().value_or(SimTime(0)).count();
    };
    return policy;
}

}  // namespace berth::sim
