// Places that searches see as taken, or as free, within one event.

#include <utility>

#include "core/support/assert.hpp"
#include "sim/run/job_life.hpp"
#include "sim/run/spares.hpp"

namespace berth::sim {

using core::ServerId;

void JobLife::hold(JobId id, const Placement& placement) {
    BERTH_ASSERT(jobs_[id].waits() && !held_.contains(id), "who waits holds places once");
    auto grants = cluster_.claim(jobs_[id].job(), placement.servers, {}, placement.grants);
    held_.emplace(id, Held{placement.servers, std::move(grants)});
}

void JobLife::let_go(JobId id) {
    const auto held = held_.extract(id);
    BERTH_ASSERT(held, "only what is held is let go");
    const auto& [servers, grants] = held.mapped();
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const ServerId server = cluster_.topology().server_of(servers[i].node);
        cluster_.release(jobs_[id].job(), server, servers[i].count, grants[i]);
    }
}

void JobLife::offer_spares(JobId id, const std::vector<ServerId>& lost) {
    BERTH_ASSERT(jobs_[id].waits(), "who lost its places waits");
    if (spares_ != nullptr) {
        spares_->offer(jobs_[id].job(), lost);
    }
}

void JobLife::set_aside(JobId id) {
    const JobState& state = jobs_[id];
    BERTH_ASSERT(state.runs() && aside_.insert(id).second, "who runs is set aside once");
    for (const Stint& stint : state.record.stints) {
        if (!stint.finish) {
            cluster_.release(state.job(), stint.server, stint.members, stint.grants);
        }
    }
}

void JobLife::put_back(JobId id) {
    const JobState& state = jobs_[id];
    BERTH_ASSERT(state.runs() && aside_.erase(id) == 1, "only who was set aside is put back");
    for (const Stint& stint : state.record.stints) {
        if (!stint.finish) {
            cluster_.put_back(state.job(), stint.server, stint.members, stint.grants);
        }
    }
}

}  // namespace berth::sim
