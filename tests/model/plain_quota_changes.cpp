// Quotas that are created, deleted and changed during the run, as docs/reference/experiment.md
// describes it under `quotaChanges`.

#include <algorithm>
#include <variant>

#include "core/elastic_quota/quota_names.hpp"
#include "tests/model/plain_quota_rules.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

/// The quota that the job's label names, if it exists.
std::string PlainRun::owner_of(const PlainJobState& job) const {
    if (!case_.settings.quotas) {
        return job.label;
    }
    const bool known =
        std::ranges::find(quotas_, job.label, &core::ElasticQuota::name) != quotas_.end();
    return known ? job.label : core::default_quota_name;
}

void PlainRun::belongs_to(PlainJobState& job, const std::string& quota) {
    job.job.quota = quota;
    job.owners.emplace_back(now_, case_.settings.quotas ? quota : job.job.user.text());
}

/// A change that breaks a rule has no effect.
void PlainRun::change_quotas(const sim::QuotaChange& change) {
    const std::string& name = name_of(change);
    const bool has_jobs = std::ranges::any_of(
        jobs, [&](const PlainJobState& job) { return !job.ended && job.label == name; });
    const auto after = changed_quotas(quotas_, change, has_jobs);
    quota_changes_accepted.push_back(after.has_value());
    if (!after) {
        return;
    }
    quotas_ = *after;
    if (std::holds_alternative<sim::QuotaChange::Delete>(change.what)) {
        last_under_.erase(name);
    }
    for (std::size_t id = 0; id < jobs.size(); ++id) {
        const std::string owner = owner_of(jobs[id]);
        if (!jobs[id].ended && owner != jobs[id].job.quota) {
            if (jobs[id].waits()) {
                forget_refused_without(id);
            }
            belongs_to(jobs[id], owner);
        }
    }
    any_quota_changed_ = true;
    ask_for_cycle_if_any_waits();
}

}  // namespace berth::tests
