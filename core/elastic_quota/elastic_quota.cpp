#include "core/elastic_quota/elastic_quota.hpp"

#include <fmt/format.h>

namespace berth::core {
namespace {

/// An amount as `12 cpu`.
std::string shown(const std::string& resource, Quantity quantity) {
    return fmt::format("{} {}", format_quantity(resource, quantity), resource);
}

Refusal refuse_negative(std::string_view what, const ElasticQuota& quota, const Quantities& all) {
    for (const auto& [resource, amount] : all) {
        if (amount < 0) {
            return fmt::format(
                "{} of {} is {}: expected at least 0", what, quota.name, shown(resource, amount));
        }
    }
    return std::nullopt;
}

Refusal check_weight(const ElasticQuota& quota) {
    if (!quota.shared_weight_fault.empty()) {
        return fmt::format("shared-weight of {} is {}", quota.name, quota.shared_weight_fault);
    }
    return quota.shared_weight ? refuse_negative("shared-weight", quota, *quota.shared_weight)
                               : std::nullopt;
}

Refusal check_min_below_max(const ElasticQuota& quota) {
    for (const auto& [resource, min] : quota.min) {
        const auto max = quota.max.find(resource);
        if (max == quota.max.end()) {
            return fmt::format(
                "min of {} is {} and its max has none: expected max of each "
                "resource of min",
                quota.name,
                shown(resource, min));
        }
        if (max->second < min) {
            return fmt::format("min of {} is {}: expected at most its max, {}",
                               quota.name,
                               shown(resource, min),
                               format_quantity(resource, max->second));
        }
    }
    return std::nullopt;
}

Refusal check_max_above_used(const ElasticQuota& quota) {
    if (!quota.strict_keys_fault.empty()) {
        return fmt::format(
            "max-strict-check-resource-keys of {} is {}", quota.name, quota.strict_keys_fault);
    }
    for (const std::string& resource : quota.max_strict_check_resource_keys) {
        const auto used = quota.used.find(resource);
        const auto max = quota.max.find(resource);
        if (used != quota.used.end() && (max == quota.max.end() || max->second < used->second)) {
            return fmt::format(
                "max of {} is {}: expected at least what is used, {}",
                quota.name,
                max == quota.max.end() ? "without " + resource : shown(resource, max->second),
                format_quantity(resource, used->second));
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view parent_of(const ElasticQuota& quota) {
    if (quota.name == root_quota_name) {
        return {};
    }
    return quota.parent.empty() ? root_quota_name : std::string_view(quota.parent);
}

bool states_the_same(const ElasticQuota& a, const ElasticQuota& b) {
    return a.parent == b.parent && a.is_parent == b.is_parent && a.tree_id == b.tree_id &&
           a.namespaces == b.namespaces && a.min == b.min && a.max == b.max &&
           a.written == b.written;
}

Refusal check_alone(const ElasticQuota& quota) {
    Refusal refusal = refuse_negative("max", quota, quota.max);
    if (!refusal) {
        refusal = refuse_negative("min", quota, quota.min);
    }
    if (!refusal) {
        refusal = check_weight(quota);
    }
    if (!refusal) {
        refusal = check_min_below_max(quota);
    }
    return refusal ? refusal : check_max_above_used(quota);
}

}  // namespace berth::core
