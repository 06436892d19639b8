#include "schedulers/kai/decide/min_runtime.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace berth::core::kai {
namespace {

/// The time of the lowest queue of a path that has one, up to a length.
double lowest_of(const Session& session,
                 const std::vector<QueueIndex>& path,
                 std::size_t length,
                 std::optional<double> Queue::* which) {
    for (std::size_t i = length; i-- > 0;) {
        if (const std::optional<double>& own = session.queues[path[i]].*which) {
            return *own;
        }
    }
    return 0;
}

double min_runtime(const Session& session,
                   EvictionKind kind,
                   const JobSpec& preemptor,
                   const JobSpec& victim) {
    const std::vector<QueueIndex> path = session.queues.path(victim.queue);
    if (kind == EvictionKind::preempt) {
        return lowest_of(session, path, path.size(), &Queue::preempt_min_runtime);
    }
    const std::vector<QueueIndex> other = session.queues.path(preemptor.queue);
    const auto common =
        static_cast<std::size_t>(std::ranges::mismatch(other, path).in2 - path.begin());
    // The first queue below the common ones; with none in common, the victim's root alone.
    return lowest_of(session, path, std::min(common + 1, path.size()), &Queue::reclaim_min_runtime);
}

}  // namespace

bool is_protected(const Session& session,
                  EvictionKind kind,
                  const JobSpec& preemptor,
                  const Job& victim) {
    return victim.last_start &&
           session.settings.now <
               *victim.last_start + min_runtime(session, kind, preemptor, victim.spec());
}

bool keeps_min_runtimes(const Session& session,
                        EvictionKind kind,
                        const JobSpec& preemptor,
                        const Scenario& scenario) {
    return std::ranges::all_of(scenario.victims_by_job(), [&](const auto& entry) {
        const Job& job = session.jobs[entry.first];
        if (!job.is_elastic() || !is_protected(session, kind, preemptor, job)) {
            return true;
        }
        return std::ranges::all_of(job.spec().leaves, [&](GroupIndex leaf) {
            const std::int64_t lost = std::ranges::count_if(
                entry.second, [&](PodIndex pod) { return session.pods[pod].leaf == leaf; });
            return lost == 0 || job.needed(leaf) <= job.count(leaf, used, session.pods) - lost;
        });
    });
}

}  // namespace berth::core::kai
