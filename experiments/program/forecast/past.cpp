#include "experiments/program/forecast/past.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace berth::experiments {

using sim::SimTime;

bool PastJob::runs(SimTime now) const {
    return !is_over(now) && std::ranges::any_of(places, [&](const PastPlace& place) {
        return place.start <= now && (!place.end || now < *place.end);
    });
}

SimTime PastJob::ran(SimTime now) const {
    SimTime since = now;
    for (const PastPlace& place : places) {
        if (place.start <= now && (!place.end || now < *place.end)) {
            since = std::min(since, place.start);
        }
    }
    return now - since;
}

Past::Past(std::vector<PastJob> jobs) : jobs_(std::move(jobs)) {
    std::ranges::stable_sort(jobs_, {}, [](const PastJob& job) { return job.job.submit; });
    std::map<std::tuple<core::Members, std::vector<core::Amount>, SimTime, bool>, std::uint32_t>
        shapes;
    for (PastJob& job : jobs_) {
        job.has_limit = job.job.estimate && *job.job.estimate > SimTime(0);
        job.limit = job.has_limit ? *job.job.estimate : std::chrono::hours(1);
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
}

}  // namespace berth::experiments
