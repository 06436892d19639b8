#include "tests/model/shrink_quotas.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace berth::tests {
namespace {

/// Whether a job belongs to the quota, or another quota is below it.
bool is_needed(const PlainCase& of, const std::string& quota) {
    const std::vector<core::ElasticQuota>& quotas = of.settings.quotas->quotas;
    return std::ranges::any_of(of.jobs, [&](const sim::Job& job) { return job.quota == quota; }) ||
           std::ranges::find(quotas, quota, &core::ElasticQuota::parent) != quotas.end();
}

/// Adds the removal of each quota that is not needed.
void add_removals(std::vector<Change>& changes, const sim::QuotaSettings& of) {
    for (const core::ElasticQuota& quota : of.quotas) {
        changes.emplace_back([name = quota.name](PlainCase& one) {
            std::vector<core::ElasticQuota>& quotas = one.settings.quotas->quotas;
            if (!is_needed(one, name) && quotas.size() > 1) {
                std::erase_if(quotas, [&](const auto& other) { return other.name == name; });
            }
        });
    }
}

}  // namespace

void add_quota_changes(std::vector<Change>& changes, const sim::QuotaSettings& of) {
    add_removals(changes, of);
    for (std::size_t i = of.changes.size(); i-- > 0;) {
        changes.emplace_back([i](PlainCase& one) {
            std::vector<sim::QuotaChange>& all = one.settings.quotas->changes;
            const auto* created = std::get_if<sim::QuotaChange::Create>(&all[i].what);
            if (created == nullptr || !is_needed(one, created->quota.name)) {
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
            }
        });
    }
    if (of.preemption) {
        changes.emplace_back([](PlainCase& one) { one.settings.quotas->preemption.reset(); });
    }
    if (of.recycler) {
        changes.emplace_back([](PlainCase& one) { one.settings.quotas->recycler.reset(); });
        changes.emplace_back([](PlainCase& one) {
            one.settings.quotas->recycler->rules = core::RevokeRules::documented;
        });
        changes.emplace_back([](PlainCase& one) { one.settings.quotas->recycler->patience = {}; });
    }
}

}  // namespace berth::tests
