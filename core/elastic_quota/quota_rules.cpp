#include "core/elastic_quota/quota_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

/// An amount as `12 cpu`.
std::string shown(const std::string& resource, Quantity quantity) {
    return fmt::format("{} {}", format_quantity(resource, quantity), resource);
}

std::string names_of(const Quantities& quantities) {
    std::string names;
    for (const auto& [resource, quantity] : quantities) {
        names += (names.empty() ? "" : ", ") + resource;
    }
    return names.empty() ? "no resources" : names;
}

/// The first two names, and `...` if there are more.
template <class Names>
std::string first_two(const Names& names) {
    const std::size_t count = std::min<std::size_t>(names.size(), 2);
    return fmt::format(
        "{}{}", join(names | std::views::take(count), ", "), names.size() > count ? ", ..." : "");
}

Quantity amount_of(const Quantities& quantities, const std::string& resource) {
    const auto at = quantities.find(resource);
    return at == quantities.end() ? 0 : at->second;
}

bool is_subset(const Quantities& of, const Quantities& quantities) {
    return std::ranges::all_of(of, [&](const auto& it) { return quantities.contains(it.first); });
}

bool same_resources(const Quantities& a, const Quantities& b) {
    return a.size() == b.size() && is_subset(a, b);
}

/// Checks the resources that a parent and its child name.
Refusal check_resources(const ElasticQuota& parent, const ElasticQuota& child) {
    if (!same_resources(parent.max, child.max)) {
        return fmt::format("max of {} has {}: expected the resources of its parent {}, {}",
                           child.name,
                           names_of(child.max),
                           parent.name,
                           names_of(parent.max));
    }
    if (!is_subset(child.min, parent.min)) {
        return fmt::format("min of {} has {}: expected at most the resources of its parent {}, {}",
                           child.name,
                           names_of(child.min),
                           parent.name,
                           names_of(parent.min));
    }
    return std::nullopt;
}

Refusal refuse_sum(const std::string& parent,
                   const std::string& resource,
                   Quantity sum,
                   Quantity min,
                   const std::string& with) {
    if (sum <= min) {
        return std::nullopt;
    }
    return fmt::format("min of the children of {} is {}{}: expected at most its min, {}",
                       parent,
                       shown(resource, sum),
                       with,
                       format_quantity(resource, min));
}

}  // namespace

// Changes ----------------------------------------------------------------------------------------

QuotaRules QuotaRules::with_own_parents() {
    QuotaRules rules;
    rules.own_parents_ = true;
    return rules;
}

Refusal QuotaRules::create(ElasticQuota quota) {
    Refusal refusal = fill_in(quota);
    if (!refusal && quotas_.contains(quota.name)) {
        refusal = fmt::format("a quota is named {} already: expected another name", quota.name);
    }
    if (!refusal) {
        refusal = check_namespaces(quota);
    }
    if (!refusal) {
        refusal = check_alone(quota);
    }
    if (!refusal) {
        refusal = check_place(nullptr, quota);
    }
    if (!refusal) {
        attach(quota);
        std::string name = quota.name;
        quotas_.emplace(std::move(name), std::move(quota));
    }
    return refusal;
}

Refusal QuotaRules::update(ElasticQuota quota) {
    const auto known = quotas_.find(quota.name);
    const ElasticQuota nothing;
    if (states_the_same(known == quotas_.end() ? nothing : known->second, quota)) {
        // Even an unknown quota is accepted if it states nothing.
        if (known != quotas_.end()) {
            known->second = std::move(quota);
        }
        return std::nullopt;
    }
    if (quota.name == root_quota_name || quota.name == system_quota_name) {
        return fmt::format("{} cannot be changed: expected another quota", quota.name);
    }
    Refusal refusal = check_namespaces(quota);
    if (!refusal && known == quotas_.end()) {
        refusal = fmt::format("unknown quota {}: expected one that was created", quota.name);
    }
    if (!refusal) {
        refusal = check_alone(quota);
    }
    if (!refusal) {
        refusal = check_place(&known->second, quota);
    }
    if (!refusal) {
        detach(known->second);
        attach(quota);
        known->second = std::move(quota);
    }
    return refusal;
}

Refusal QuotaRules::remove(const std::string& name) {
    if (name == root_quota_name || name == system_quota_name || name == default_quota_name) {
        return fmt::format("{} cannot be deleted: expected another quota", name);
    }
    const auto known = quotas_.find(name);
    if (known == quotas_.end()) {
        return fmt::format("unknown quota {}: expected one that was created", name);
    }
    if (const auto& children = children_of(name).names; !children.empty()) {
        return fmt::format(
            "{} has children, {}: expected none when it is deleted", name, first_two(children));
    }
    if (const auto pods = pods_by_label_.find(name); pods != pods_by_label_.end()) {
        return fmt::format(
            "{} has pods, {}: expected none when it is deleted", name, first_two(pods->second));
    }
    detach(known->second);
    quotas_.erase(known);
    return std::nullopt;
}

Refusal QuotaRules::fill_in(ElasticQuota& quota) const {
    if (quota.name == root_quota_name) {
        return std::nullopt;
    }
    if (quota.parent.empty()) {
        quota.parent = root_quota_name;
    }
    if (quota.tree_id.empty() && quota.parent != root_quota_name) {
        const ElasticQuota* parent = find(quota.parent);
        if (parent == nullptr) {
            return fmt::format(
                "unknown parent {} of {}: expected the name of a quota", quota.parent, quota.name);
        }
        quota.tree_id = parent->tree_id;
    }
    if (quota.shared_weight_fault.empty()) {
        Quantities weight = quota.max;
        for (auto& [resource, amount] : weight) {
            if (quota.shared_weight && quota.shared_weight->contains(resource)) {
                amount = quota.shared_weight->at(resource);
            }
        }
        quota.shared_weight = std::move(weight);
    }
    return std::nullopt;
}

void QuotaRules::attach(const ElasticQuota& quota) {
    Children& siblings = children_[std::string(parent_of(quota))];
    BERTH_ASSERT(siblings.names.insert(quota.name).second,
                 "a quota has one place among its siblings");
    for (const auto& [resource, min] : quota.min) {
        siblings.min_sum[resource] += min;
    }
    for (const std::string& bound : quota.namespaces) {
        quota_of_namespace_[bound] = quota.name;
    }
}

void QuotaRules::detach(const ElasticQuota& quota) {
    const auto siblings = children_.find(parent_of(quota));
    BERTH_ASSERT(siblings != children_.end() && siblings->second.names.erase(quota.name) == 1,
                 "a known quota stands among its parent's children");
    for (const auto& [resource, min] : quota.min) {
        siblings->second.min_sum[resource] -= min;
    }
    if (siblings->second.names.empty()) {
        children_.erase(siblings);
    }
    for (const std::string& bound : quota.namespaces) {
        quota_of_namespace_.erase(bound);
    }
}

// Rules, in their order --------------------------------------------------------------------------

Refusal QuotaRules::check_namespaces(const ElasticQuota& quota) const {
    for (const std::string& bound : quota.namespaces) {
        const auto to = quota_of_namespace_.find(bound);
        if (to != quota_of_namespace_.end() && to->second != quota.name) {
            return fmt::format("namespace {} of {} is bound to {}: expected it in one quota only",
                               bound,
                               quota.name,
                               to->second);
        }
    }
    return std::nullopt;
}

Refusal QuotaRules::check_place(const ElasticQuota* old, const ElasticQuota& quota) const {
    if (quota.name == root_quota_name) {
        return std::nullopt;
    }
    Refusal refusal = old != nullptr ? check_role(*old, quota) : std::nullopt;
    if (!refusal) {
        refusal = check_tree(old, quota);
    }
    if (refusal || (parent_of(quota) == root_quota_name && !quota.is_parent)) {
        return refusal;
    }
    refusal = check_parent(old, quota);
    if (!refusal) {
        refusal = check_keys(quota);
    }
    return refusal || quota.allow_force_update || quota.is_root ? refusal
                                                                : check_min_sums(old, quota);
}

Refusal QuotaRules::check_role(const ElasticQuota& old, const ElasticQuota& quota) const {
    if (old.is_parent == quota.is_parent) {
        return std::nullopt;
    }
    if (!quota.is_parent) {
        const auto& children = children_of(quota.name).names;
        return children.empty() ? std::nullopt
                                : Refusal(fmt::format("{} has children, {}, and becomes a leaf: "
                                                      "expected is-parent true",
                                                      quota.name,
                                                      first_two(children)));
    }
    const auto has_pods = [&](const std::string& name) {
        return namespaces_with_pods_.contains(name);
    };
    if (pods_by_label_.contains(quota.name) || has_pods(quota.name) ||
        std::ranges::any_of(old.namespaces, has_pods)) {
        return fmt::format("{} has pods and becomes a parent: expected is-parent false",
                           quota.name);
    }
    return std::nullopt;
}

Refusal QuotaRules::check_tree(const ElasticQuota* old, const ElasticQuota& quota) const {
    const auto refuse = [&](std::string_view expected, const std::string& whose) {
        return fmt::format(
            "tree-id of {} is '{}': expected '{}', {}", quota.name, quota.tree_id, expected, whose);
    };
    if (old != nullptr && old->tree_id != quota.tree_id) {
        return refuse(old->tree_id, "as before");
    }
    const ElasticQuota* parent =
        parent_of(quota) == root_quota_name ? nullptr : find(parent_of(quota));
    if (parent != nullptr && parent->tree_id != quota.tree_id) {
        return refuse(parent->tree_id, "that of its parent " + parent->name);
    }
    for (const std::string& child : children_of(quota.name).names) {
        if (const std::string& tree = quotas_.at(child).tree_id; tree != quota.tree_id) {
            return refuse(tree, "that of its child " + child);
        }
    }
    return std::nullopt;
}

Refusal QuotaRules::check_parent(const ElasticQuota* old, const ElasticQuota& quota) const {
    const std::string_view name = parent_of(quota);
    if (name == root_quota_name) {
        return std::nullopt;
    }
    const ElasticQuota* parent = find(name);
    if (parent == nullptr) {
        return fmt::format(
            "unknown parent {} of {}: expected the name of a quota", name, quota.name);
    }
    // A new quota has nothing below it, and a quota that does not move makes no cycle.
    const bool moves = old != nullptr && parent_of(*old) != name;
    if (moves && !(own_parents_ && name == quota.name) && is_below(name, quota.name)) {
        return fmt::format("parent {} of {} is {}: expected a parent that is not below it",
                           name,
                           quota.name,
                           name == quota.name ? "itself" : "below it");
    }
    if (!parent->is_parent) {
        return fmt::format(
            "parent {} of {} is a leaf: expected a quota with is-parent true", name, quota.name);
    }
    return std::nullopt;
}

bool QuotaRules::is_below(std::string_view name, std::string_view ancestor) const {
    for (const ElasticQuota* at = find(name); at != nullptr; at = find(parent_of(*at))) {
        if (at->name == ancestor) {
            return true;
        }
        if (parent_of(*at) == at->name) {
            return false;
        }
    }
    return false;
}

Refusal QuotaRules::check_keys(const ElasticQuota& quota) const {
    if (parent_of(quota) != root_quota_name) {
        const ElasticQuota* parent = find(parent_of(quota));
        BERTH_ASSERT(parent != nullptr, "an unknown parent was refused before");
        if (Refusal refusal = check_resources(*parent, quota)) {
            return refusal;
        }
    }
    for (const std::string& child : children_of(quota.name).names) {
        if (Refusal refusal = check_resources(quota, quotas_.at(child))) {
            return refusal;
        }
    }
    return std::nullopt;
}

/// The rule does not hold between the root and the first level: a cluster that shrinks must not
/// stop anyone's work.
Refusal QuotaRules::check_min_sums(const ElasticQuota* old, const ElasticQuota& quota) const {
    const std::string_view name = parent_of(quota);
    if (name != root_quota_name) {
        BERTH_ASSERT(find(name) != nullptr, "an unknown parent was refused before");
        const ElasticQuota& parent = *find(name);
        const bool counted = old != nullptr && parent_of(*old) == name;
        Quantities sums = children_of(name).min_sum;
        for (const auto& [resource, min] : quota.min) {
            sums[resource] += min;
        }
        for (const auto& [resource, sum] : sums) {
            const Quantity twice = counted ? amount_of(old->min, resource) : 0;
            if (Refusal refusal = refuse_sum(parent.name,
                                             resource,
                                             sum - twice,
                                             amount_of(parent.min, resource),
                                             " with " + quota.name)) {
                return refusal;
            }
        }
    }
    for (const auto& [resource, sum] : children_of(quota.name).min_sum) {
        if (Refusal refusal =
                refuse_sum(quota.name, resource, sum, amount_of(quota.min, resource), "")) {
            return refusal;
        }
    }
    return std::nullopt;
}

// Pods -------------------------------------------------------------------------------------------

Refusal QuotaRules::add_pod(const LabelledPod& pod) {
    Refusal refusal = check_pod(pod);
    if (!refusal) {
        if (!pod.quota.empty()) {
            pods_by_label_[pod.quota].push_back(pod.name);
        }
        namespaces_with_pods_.insert(pod.pod_namespace);
    }
    return refusal;
}

Refusal QuotaRules::update_pod(const LabelledPod& before, const LabelledPod& after) const {
    if (before.preemptible != after.preemptible) {
        return fmt::format("preemptible of pod {} is '{}': expected '{}', as before",
                           after.name,
                           after.preemptible,
                           before.preemptible);
    }
    return check_pod(after);
}

Refusal QuotaRules::check_pod(const LabelledPod& pod) const {
    const ElasticQuota* quota = find(named_quota_of(pod));
    if (quota != nullptr && quota->is_parent) {
        return fmt::format(
            "pod {} is in {}, which is a parent: expected a leaf", pod.name, quota->name);
    }
    return std::nullopt;
}

std::string QuotaRules::named_quota_of(const LabelledPod& pod) const {
    if (!pod.quota.empty()) {
        return pod.quota;
    }
    const ElasticQuota* same_name = find(pod.pod_namespace);
    if (same_name != nullptr && same_name->object_namespace == pod.pod_namespace) {
        return same_name->name;
    }
    const auto bound = quota_of_namespace_.find(pod.pod_namespace);
    return bound != quota_of_namespace_.end() ? bound->second : std::string();
}

std::string QuotaRules::quota_of(const LabelledPod& pod) const {
    std::string name = named_quota_of(pod);
    const bool known = find(name) != nullptr || name == system_quota_name;
    return known ? name : std::string(default_quota_name);
}

// Queries ----------------------------------------------------------------------------------------

const ElasticQuota* QuotaRules::find(std::string_view name) const {
    const auto at = quotas_.find(name);
    return at == quotas_.end() ? nullptr : &at->second;
}

const QuotaRules::Children& QuotaRules::children_of(std::string_view name) const {
    static const Children none;
    const auto at = children_.find(name);
    return at == children_.end() ? none : at->second;
}

std::vector<const ElasticQuota*> QuotaRules::parents_first() const {
    std::vector<const ElasticQuota*> ordered;
    if (const ElasticQuota* root = find(root_quota_name)) {
        ordered.push_back(root);
    }
    for (const std::string& child : children_of(root_quota_name).names) {
        ordered.push_back(&quotas_.at(child));
    }
    // The root's children are already in the list, whether or not the root has an object.
    for (std::size_t i = find(root_quota_name) != nullptr ? 1 : 0; i < ordered.size(); ++i) {
        for (const std::string& child : children_of(ordered[i]->name).names) {
            ordered.push_back(&quotas_.at(child));
        }
    }
    BERTH_ASSERT(own_parents_ || ordered.size() == quotas_.size(),
                 "every quota hangs below the root, and has one parent");
    return ordered;
}

}  // namespace berth::core
