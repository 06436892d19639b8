#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_longest_job(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.rank = [](const Job& job, std::int64_t /*service*/) {
        const auto stated = job.stated_duration();
        return stated ? -stated->count() : never.count();  // a job that states no time comes last
    };
    return policy;
}

}  // namespace berth::sim
