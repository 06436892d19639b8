#include "tests/model/as_quota_experiment.hpp"

#include <fmt/format.h>

#include <variant>

namespace berth::tests {
namespace {

std::string duration(sim::SimTime time) {
    return fmt::format("{}ns", time.count());
}

/// Amounts as text, such as `{cpu: 4m, memory: 2}`.
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

/// A quota's object on one line.
std::string object(const core::ElasticQuota& quota) {
    const std::string label = "quota.scheduling.koordinator.sh/";
    std::string labels = fmt::format("{}is-parent: \"{}\", {}allow-lent-resource: \"{}\"",
                                     label,
                                     quota.is_parent,
                                     label,
                                     quota.allow_lent_resource);
    if (!quota.parent.empty()) {
        labels += fmt::format(", {}parent: {}", label, quota.parent);
    }
    return fmt::format(
        "{{kind: ElasticQuota, metadata: {{name: {}, labels: {{{}}}}}, "
        "spec: {{min: {}, max: {}}}}}",
        quota.name,
        labels,
        quantities(quota.min),
        quantities(quota.max));
}

std::string patch_text(const sim::QuotaPatch& patch) {
    std::string out = "{name: " + patch.name;
    out += patch.min ? ", min: " + quantities(*patch.min) : "";
    out += patch.max ? ", max: " + quantities(*patch.max) : "";
    out += patch.shared_weight ? ", sharedWeight: " + quantities(*patch.shared_weight) : "";
    out += patch.parent ? ", parent: " + *patch.parent : "";
    if (patch.allow_lent_resource) {
        out += fmt::format(", allowLentResource: {}", *patch.allow_lent_resource);
    }
    return out + "}";
}

std::string change_text(const sim::QuotaChange& change) {
    if (const auto* created = std::get_if<sim::QuotaChange::Create>(&change.what)) {
        return "create: " + object(created->quota);
    }
    if (const auto* updated = std::get_if<sim::QuotaChange::Update>(&change.what)) {
        return "update: " + object(updated->quota);
    }
    if (const auto* patch = std::get_if<sim::QuotaPatch>(&change.what)) {
        return "update: " + patch_text(*patch);
    }
    return "delete: " + std::get<sim::QuotaChange::Delete>(change.what).name;
}

}  // namespace

std::string quotas_as_experiment(const sim::QuotaSettings& settings) {
    std::string out = "  quotas:\n    - objects:\n";
    for (const core::ElasticQuota& quota : settings.quotas) {
        out += "        - " + object(quota) + "\n";
    }
    out += settings.changes.empty() ? "" : "  quotaChanges:\n";
    for (const sim::QuotaChange& change : settings.changes) {
        out += fmt::format("    - {{at: {}, {}}}\n", duration(change.at), change_text(change));
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
