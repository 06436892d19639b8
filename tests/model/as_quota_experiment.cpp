#include "tests/model/as_quota_experiment.hpp"

#include <fmt/format.h>

namespace berth::tests {
namespace {

std::string duration(sim::SimTime time) {
    return fmt::format("{}ns", time.count());
}

/// `{cpu: 4m, memory: 2}`
std::string quantities(const core::Quantities& of) {
    std::string out;
    for (const auto& [resource, amount] : of) {
        out += out.empty() ? "" : ", ";
        out +=
            resource == "memory"
                ? fmt::format("memory: {}", static_cast<std::int64_t>(amount / 1'000'000'000))
                : fmt::format("{}: {}m", resource, static_cast<std::int64_t>(amount / 1'000'000));
    }
    return "{" + out + "}";
}

}  // namespace

std::string quotas_as_experiment(const sim::QuotaSettings& settings) {
    std::string out = "  quotas:\n    - objects:\n";
    for (const core::ElasticQuota& quota : settings.quotas) {
        const std::string label = "quota.scheduling.koordinator.sh/";
        out +=
            fmt::format("        - kind: ElasticQuota\n          metadata:\n            name: {}\n",
                        quota.name);
        out +=
            fmt::format("            labels: {{{}is-parent: \"{}\", {}allow-lent-resource: \"{}\"",
                        label,
                        quota.is_parent,
                        label,
                        quota.allow_lent_resource);
        out +=
            quota.parent.empty() ? "}\n" : fmt::format(", {}parent: {}}}\n", label, quota.parent);
        out += fmt::format(
            "          spec: {{min: {}, max: {}}}\n", quantities(quota.min), quantities(quota.max));
    }
    if (settings.recycler) {
        const bool documented = settings.recycler->rules == core::RevokeRules::documented;
        out += fmt::format("  recycler: {{period: {}, patience: {}, rules: {}}}\n",
                           duration(settings.recycler->period),
                           duration(settings.recycler->patience),
                           documented ? "documented" : "published");
    }
    return out;
}

std::string quotas_as_profile(const sim::QuotaSettings& settings) {
    std::string out;
    if (settings.preemption) {
        out += fmt::format("      postFilter: [{{name: in-quota-preemption, defaultGroup: {}}}]\n",
                           settings.preemption->default_group);
    }
    if (!settings.admission) {
        return out + "      preFilter: []\n";
    }
    const core::QuotaLimit limit = settings.rules.limit;
    return out + fmt::format(
                     "      preFilter: [{{name: elastic-quota, limit: {}, checkParents: {}, "
                     "refresh: {}}}]\n",
                     limit == core::QuotaLimit::runtime ? "runtime"
                     : limit == core::QuotaLimit::max   ? "max"
                                                        : "min",
                     settings.rules.check_parents,
                     duration(settings.refresh));
}

}  // namespace berth::tests
