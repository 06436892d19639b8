// Takes back what a quota uses above its runtime, as docs/reference/experiment.md describes it
// under `recycler`. It checks at every tick, whether anything happened or not.

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "tests/model/plain_run.hpp"

namespace berth::tests {

using core::Amount;
using sim::SimTime;

namespace {

/// The usage of a quota, in the resources that are still considered.
using Use = std::map<std::size_t, Amount>;

bool is_over(const PlainQuotaBook& quotas, const std::string& quota, const Use& use) {
    return std::ranges::any_of(
        use, [&](const auto& of) { return of.second > quotas.runtime(quota, of.first); });
}

/// The usage after a job was taken out (-1) or put back (1). By the published rules, only the
/// resources that the job asks for are still considered.
Use with(const Use& use, const PlainJobState& job, Amount sign, core::RevokeRules rules) {
    Use out;
    for (std::size_t r = 0; r < job.job.demand.size(); ++r) {
        const bool asked = job.job.demand[r] > 0;
        const auto before = use.find(r);
        if (asked || (rules == core::RevokeRules::documented && before != use.end())) {
            out[r] = before == use.end() ? 0 : before->second;
            out[r] += sign * job.placed * job.job.demand[r];
        }
    }
    return out;
}

}  // namespace

Use PlainRun::use_of(const std::string& quota) const {
    Use use;
    for (std::size_t r = 0; r < case_.tree.types.front().size(); ++r) {
        use[r] = book().used(quota, r);
    }
    return use;
}

/// Patience counts from the last check at which the quota was not over its runtime.
void PlainRun::look_at_quotas() {
    const sim::RecyclerSettings& settings = *case_.settings.quotas->recycler;
    push(now_ + settings.period, What::recycle, 0);
    std::vector<std::string> due;
    for (const core::ElasticQuota& quota : quotas_) {
        const SimTime look_before = std::max(now_ - settings.period, SimTime(0));
        SimTime& under = last_under_.try_emplace(quota.name, look_before).first->second;
        if (!is_over(book(), quota.name, use_of(quota.name))) {
            under = now_;
        } else if (now_ - under > settings.patience) {
            under = now_;
            due.push_back(quota.name);
        }
    }
    for (const std::string& quota : due) {
        take_back(quota);
    }
}

/// The least important jobs are taken out until the quota is no longer over; then those that could
/// stay after all are put back, the most important first.
void PlainRun::take_back(const std::string& quota) {
    const core::RevokeRules rules = case_.settings.quotas->recycler->rules;
    const PlainQuotaBook quotas = book();
    std::vector<std::size_t> least_important_first;
    for (std::size_t id = jobs.size(); id-- > 0;) {
        if (jobs[id].runs() && jobs[id].job.quota == quota && jobs[id].job.preemptible) {
            least_important_first.push_back(id);
        }
    }
    std::ranges::stable_sort(least_important_first, {}, [&](std::size_t id) {
        return std::tuple(jobs[id].job.priority, -jobs[id].start->count());
    });
    Use use = use_of(quota);
    std::vector<std::size_t> out;
    for (const std::size_t id : least_important_first) {
        if (is_over(quotas, quota, use)) {
            use = with(use, jobs[id], -1, rules);
            out.push_back(id);
        }
    }
    if (!is_over(quotas, quota, use)) {
        std::ranges::reverse(out);
        std::erase_if(out, [&](std::size_t id) {
            const Use back = with(use, jobs[id], 1, rules);
            const bool stays = !is_over(quotas, quota, back);
            use = stays ? back : with(back, jobs[id], -1, rules);
            return stays;
        });
    }
    for (const std::size_t id : out) {
        evict(id, sim::EvictionCause::revoked);
    }
}

}  // namespace berth::tests
