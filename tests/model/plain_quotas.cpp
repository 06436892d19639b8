// Which jobs are admitted, and when jobs that were not are asked again.

#include <algorithm>
#include <utility>

#include "tests/model/plain_run.hpp"

namespace berth::tests {

using core::Members;
using sim::SimTime;

/// The total of the servers that are up.
std::vector<core::Amount> PlainRun::cluster_total(bool less_outside) const {
    std::vector<core::Amount> total(case_.tree.types.front().size());
    for (std::uint32_t server = 0; server < cluster_.free.size(); ++server) {
        for (std::size_t r = 0; r < total.size() && cluster_.up[server]; ++r) {
            const core::Amount outside = less_outside ? case_.outside[server][r] : 0;
            total[r] += cluster_.capacity(server, r) - outside;
        }
    }
    return total;
}

PlainQuotaBook PlainRun::book() const {
    const auto any = [](const std::vector<core::Amount>& amounts) {
        return std::ranges::any_of(amounts, [](core::Amount amount) { return amount != 0; });
    };
    const std::vector<core::Amount> left = cluster_total(true);
    const bool known = servers_changed_ || any(cluster_total(false)) || any(left);
    return {*case_.settings.quotas, quotas_, jobs, left, known};
}

Members PlainRun::admitted(const sim::Job& job) const {
    return case_.settings.quotas ? book().admitted(job, job.min_available, job.size) : job.size;
}

/// A quota's requests or usage changed: its jobs are asked again, and at the next refresh those of
/// all quotas are.
void PlainRun::quota_changed(const std::string& quota) {
    wake(quota);
    any_quota_changed_ = true;
}

void PlainRun::wake(const std::string& quota) {
    const auto of_it = [&](const sim::Job& kind) { return kind.quota == quota; };
    std::erase_if(held_back_, of_it);
    std::erase_if(looked_for_victims_, of_it);
}

void PlainRun::ask_for_refresh() {
    const bool more_to_come =
        std::ranges::any_of(jobs, [](const PlainJobState& job) { return !job.ended; }) ||
        jobs.size() < case_.jobs.size();
    if (!case_.settings.quotas || refresh_asked_ || !any_quota_changed_ || !more_to_come) {
        return;
    }
    const SimTime every = case_.settings.quotas->refresh;
    const SimTime from = every > SimTime(0) ? std::max(now_, next_refresh_) : now_;
    const SimTime rest = every > SimTime(0) ? from % every : SimTime(0);
    push(rest > SimTime(0) ? from - rest + every : from, What::refresh, 0);
    refresh_asked_ = true;
}

/// Lets jobs that would be admitted now be tried again.
void PlainRun::refresh() {
    refresh_asked_ = false;
    any_quota_changed_ = false;
    const std::size_t before = held_back_.size();
    std::erase_if(held_back_, [&](const sim::Job& kind) { return admitted(kind) > 0; });
    if (held_back_.size() < before) {
        ask_for_cycle(now_);
    }
}

}  // namespace berth::tests
