#include "tests/model/plain_quota_rules.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace berth::tests {
namespace {

using core::ElasticQuota;
using Quotas = std::vector<ElasticQuota>;

const ElasticQuota* find(const Quotas& quotas, const std::string& name) {
    const auto found = std::ranges::find(quotas, name, &ElasticQuota::name);
    return found == quotas.end() ? nullptr : &*found;
}

bool has_children(const Quotas& quotas, const std::string& name) {
    return std::ranges::find(quotas, name, &ElasticQuota::parent) != quotas.end();
}

bool is_below(const Quotas& quotas, const ElasticQuota& quota, const std::string& above) {
    const ElasticQuota* at = &quota;
    for (std::size_t steps = 0; at != nullptr && steps <= quotas.size(); ++steps) {
        at = find(quotas, at->parent);
        if (at != nullptr && at->name == above) {
            return true;
        }
    }
    return false;
}

/// Whether the sum of the children's mins is at most the parent's min.
bool grants_mins(const Quotas& quotas, const ElasticQuota& parent) {
    return std::ranges::all_of(parent.min, [&](const auto& min) {
        core::Quantity sum = 0;
        for (const ElasticQuota& quota : quotas) {
            sum += quota.parent == parent.name ? quota.min.at(min.first) : 0;
        }
        return sum <= min.second;
    });
}

/// Whether a quota is valid among the others.
bool may_be(const Quotas& quotas, const ElasticQuota& quota) {
    const bool min_below_max = std::ranges::all_of(
        quota.min, [&](const auto& min) { return min.second <= quota.max.at(min.first); });
    if (!min_below_max || (!quota.is_parent && has_children(quotas, quota.name))) {
        return false;
    }
    if (quota.parent.empty()) {
        return !quota.is_parent || grants_mins(quotas, quota);
    }
    const ElasticQuota* parent = find(quotas, quota.parent);
    return parent != nullptr && parent->is_parent && !is_below(quotas, quota, quota.name) &&
           grants_mins(quotas, *parent) && grants_mins(quotas, quota);
}

void replace(core::Quantities& amounts, const std::optional<core::Quantities>& by) {
    for (const auto& [resource, amount] : by.value_or(core::Quantities())) {
        amounts[resource] = amount;
    }
}

ElasticQuota patched(ElasticQuota quota, const sim::QuotaPatch& patch) {
    replace(quota.min, patch.min);
    replace(quota.max, patch.max);
    quota.shared_weight = patch.shared_weight ? patch.shared_weight : quota.shared_weight;
    quota.parent = patch.parent.value_or(quota.parent);
    quota.allow_lent_resource = patch.allow_lent_resource.value_or(quota.allow_lent_resource);
    return quota;
}

}  // namespace

const std::string& name_of(const sim::QuotaChange& change) {
    if (const auto* created = std::get_if<sim::QuotaChange::Create>(&change.what)) {
        return created->quota.name;
    }
    if (const auto* updated = std::get_if<sim::QuotaChange::Update>(&change.what)) {
        return updated->quota.name;
    }
    const auto* patch = std::get_if<sim::QuotaPatch>(&change.what);
    return patch != nullptr ? patch->name : std::get<sim::QuotaChange::Delete>(change.what).name;
}

std::optional<Quotas> changed_quotas(Quotas quotas, const sim::QuotaChange& change, bool has_jobs) {
    const std::string& name = name_of(change);
    const ElasticQuota* known = find(quotas, name);
    const auto* created = std::get_if<sim::QuotaChange::Create>(&change.what);
    if ((created != nullptr) == (known != nullptr)) {
        return std::nullopt;  // a created quota exists already, or another one does not exist
    }
    if (std::holds_alternative<sim::QuotaChange::Delete>(change.what)) {
        if (has_jobs || has_children(quotas, name)) {
            return std::nullopt;
        }
        std::erase_if(quotas, [&](const ElasticQuota& quota) { return quota.name == name; });
        return quotas;
    }
    const auto* patch = std::get_if<sim::QuotaPatch>(&change.what);
    const ElasticQuota after = created != nullptr ? created->quota
                               : patch != nullptr
                                   ? patched(*known, *patch)
                                   : std::get<sim::QuotaChange::Update>(change.what).quota;
    if (after.is_parent && has_jobs && (known == nullptr || !known->is_parent)) {
        return std::nullopt;
    }
    if (created != nullptr) {
        quotas.push_back(after);
    } else {
        *std::ranges::find(quotas, name, &ElasticQuota::name) = after;
    }
    return may_be(quotas, after) ? std::optional(quotas) : std::nullopt;
}

}  // namespace berth::tests
