#include "experiments/program/forecast/past.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace berth::experiments {

using sim::SimTime;

sim::OptionalTime PastJob::runs_since(SimTime now) const {
    sim::OptionalTime since;
    if (is_over(now)) {
        return since;
    }
    if (places.empty() && start && *start <= now) {
        since = start;
    }
    for (const PastPlace& place : places) {
        if (place.start <= now && (!place.end || now < *place.end)) {
            since = since ? std::min(SimTime(*since), place.start) : place.start;
        }
    }
    return since;
}

void PastJob::set_limit() {
    has_limit = job.estimate && *job.estimate > SimTime(0);
    limit = has_limit ? *job.estimate : std::chrono::hours(1);
}

Past::Past(std::vector<PastJob> jobs, std::vector<PastOutage> outages)
    : jobs_(std::move(jobs)), outages_(std::move(outages)) {
    std::ranges::stable_sort(jobs_, {}, [](const PastJob& job) { return job.job.submit; });
    std::map<std::tuple<core::Members, std::vector<core::Amount>, SimTime, bool>, std::uint32_t>
        shapes;
    for (PastJob& job : jobs_) {
        job.set_limit();
        const sim::Label& owner = !job.job.user.empty()         ? job.job.user
                                  : !job.job.name_space.empty() ? job.job.name_space
                                                                : job.job.quota;
        const auto [user, fresh] =
            users_.try_emplace(owner.text(), static_cast<std::uint32_t>(users_.size()));
        if (fresh) {
            names_.push_back(&user->first);
        }
        job.user = user->second;
        job.shape =
            shapes
                .try_emplace({job.job.size, job.job.demand.in_a_vector(), job.limit, job.has_limit},
                             static_cast<std::uint32_t>(shapes.size()))
                .first->second;
    }
    shapes_ = static_cast<std::uint32_t>(shapes.size());
}

}  // namespace berth::experiments
