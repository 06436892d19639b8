#include "tests/model/shrink_quotas.hpp"

#include <algorithm>
#include <string>

namespace berth::tests {
namespace {

/// Those that nobody needs.
void add_removals(std::vector<Change>& changes, const sim::QuotaSettings& of) {
    for (const core::ElasticQuota& quota : of.quotas) {
        changes.emplace_back([name = quota.name](PlainCase& one) {
            std::vector<core::ElasticQuota>& quotas = one.settings.quotas->quotas;
            const bool needed =
                std::ranges::find(one.jobs, name, &sim::Job::quota) != one.jobs.end() ||
                std::ranges::find(quotas, name, &core::ElasticQuota::parent) != quotas.end();
            if (!needed && quotas.size() > 1) {
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
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
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
