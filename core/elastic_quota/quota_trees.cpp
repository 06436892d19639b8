#include "core/elastic_quota/quota_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/elastic_quota/quota_names.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Errors: std::overflow_error if the result does not fit into 64 bits, so that no sum ever wraps.
Amount sum_of(Amount a, Amount b) {
    Amount sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        throw std::overflow_error(
            "the amounts of a quota add up to more than 2^63 - 1: expected smaller ones");
    }
    return sum;
}

Amount difference_of(Amount a, Amount b) {
    Amount difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) {
        throw std::overflow_error(
            "the amounts of a quota differ by more than 2^63 - 1: expected smaller ones");
    }
    return difference;
}

Amount product_of(Amount amount, Members pods) {
    Amount product = 0;
    if (__builtin_mul_overflow(amount, pods, &product)) {
        throw std::overflow_error(fmt::format(
            "{} pods ask for {} each, more than 2^63 - 1 in all: expected less", pods, amount));
    }
    return product;
}

void increase(Amount& sum, Amount amount) {
    sum = sum_of(sum, amount);
}

}  // namespace

QuotaTrees::QuotaTrees(std::size_t resource_count, bool scale_min)
    : resource_count_(resource_count),
      scale_min_(scale_min),
      units_(resource_count, 1),
      cluster_total_(resource_count) {
    add_root("");
    for (const char* name : {system_quota_name, default_quota_name}) {
        QuotaSpec spec;
        spec.name = name;
        const QuotaId special = new_quota(spec);
        at(special).parent = default_root;
    }
}

QuotaId QuotaTrees::new_quota(const QuotaSpec& spec) {
    const QuotaId id{static_cast<std::uint32_t>(quotas_.size())};
    Quota quota;
    quota.spec = spec;
    for (ResourceList* list : {&quota.spec.min, &quota.spec.max, &quota.spec.shared_weight}) {
        if (list->resource_count() == 0) {
            *list = ResourceList(resource_count_);
        }
        BERTH_ASSERT(list->resource_count() == resource_count_, "amounts are by the schema");
    }
    quota.parent = id;
    quota.sharings.resize(resource_count_);
    for (std::vector<Amount>* amounts : {&quota.own_request,
                                         &quota.own_used,
                                         &quota.own_fixed,
                                         &quota.child_request,
                                         &quota.limited_request,
                                         &quota.used,
                                         &quota.fixed}) {
        amounts->assign(resource_count_, 0);
    }
    quotas_.push_back(std::move(quota));
    BERTH_ASSERT(by_name_.emplace(spec.name, id).second, "a quota is added once");
    return id;
}

QuotaId QuotaTrees::add_root(const std::string& tree_id) {
    QuotaSpec spec;
    spec.name = tree_id.empty() ? root_quota_name : fmt::format("{}@{}", root_quota_name, tree_id);
    spec.tree_id = tree_id;
    spec.is_parent = true;
    const QuotaId id = new_quota(spec);
    Root root;
    root.quota = id;
    root.limited_by.assign(resource_count_, 0);
    root.total = ResourceList(resource_count_);
    root.units = units_;
    roots_.emplace(tree_id, std::move(root));
    return id;
}

QuotaId QuotaTrees::add(const QuotaSpec& spec) {
    if (!roots_.contains(spec.tree_id)) {
        add_root(spec.tree_id);
    }
    const QuotaId id = new_quota(spec);
    attach(id);
    return id;
}

void QuotaTrees::update(QuotaId quota, const QuotaSpec& spec) {
    BERTH_ASSERT(spec.name == name(quota) && spec.tree_id == at(quota).spec.tree_id,
                 "a quota keeps its name and its tree");
    BERTH_ASSERT(exists(quota) && !is_root(quota) && !is_special(quota),
                 "a quota that somebody wrote is updated");
    for (const ResourceList* list : {&spec.min, &spec.max, &spec.shared_weight}) {
        BERTH_ASSERT(list->resource_count() == resource_count_, "amounts are by the schema");
    }
    detach(quota);
    count_own(quota, -1);
    at(quota).spec = spec;
    count_own(quota, 1);
    attach(quota);
}

void QuotaTrees::remove(QuotaId quota) {
    BERTH_ASSERT(at(quota).children.empty() && !is_root(quota) && !is_special(quota),
                 "only a quota without children is removed");
    BERTH_ASSERT(exists(quota), "a quota is removed once");
    detach(quota);
    at(quota).exists = false;
    by_name_.erase(name(quota));
}

void QuotaTrees::set_special_max(QuotaId special, const ResourceList& max) {
    BERTH_ASSERT(is_special(special), "system or default");
    BERTH_ASSERT(max.resource_count() == resource_count_, "amounts are by the schema");
    detach(special);
    count_own(special, -1);
    at(special).spec.max = max;
    count_own(special, 1);
    attach(special);
}

/// Adds what the quota's own pods ask for and use to its sums, or takes it away from them. It
/// counts in the resources of max.
void QuotaTrees::count_own(QuotaId id, Amount sign) {
    Quota& quota = at(id);
    for (std::size_t r = 0; r < resource_count_; ++r) {
        if (counts(id, r)) {
            increase(quota.child_request[r], sign * quota.own_request[r]);
            increase(quota.used[r], sign * quota.own_used[r]);
            increase(quota.fixed[r], sign * quota.own_fixed[r]);
        }
    }
}

bool QuotaTrees::counts(QuotaId quota, std::size_t resource) const {
    const ResourceList& max = at(quota).spec.max;
    return max.has(resource) || (is_special(quota) && max.empty());
}

void QuotaTrees::attach(QuotaId id) {
    Quota& quota = at(id);
    const std::string& parent_name = quota.spec.parent;
    if (parent_name.empty() || parent_name == root_quota_name) {
        quota.parent = root_of(id).quota;
    } else {
        const auto found = find(parent_name);
        BERTH_ASSERT(found && at(*found).spec.tree_id == quota.spec.tree_id,
                     "a quota's parent is there, in its tree");
        quota.parent = *found;
        BERTH_ASSERT(quota.parent != id, "no quota is its own parent");
    }
    if (!is_special(id)) {
        Quota& parent = at(quota.parent);
        const auto place = std::ranges::lower_bound(
            parent.children, quota.spec.name, {}, [this](QuotaId child) { return name(child); });
        parent.children.insert(place, id);
        BERTH_AUDIT(std::ranges::is_sorted(
                        parent.children, {}, [this](QuotaId child) { return name(child); }),
                    "siblings stand in the order of their names");
        parent.unsettled = true;
        at(parent.parent).unsettled = true;  // the parent may have become an inner child
        count_keys(quota.spec, true);
        update_tree_total(quota.spec, true);
    }
    for (std::size_t r = 0; r < resource_count_; ++r) {
        see_parts(id, r, quota.spec.min[r]);
        see_parts(id, r, quota.spec.max[r]);
        quota.limited_request[r] = limited(quota, r);
        add_child_request(quota.parent, r, quota.limited_request[r]);
        add_to_used(quota.parent, r, quota.used[r], quota.fixed[r]);
    }
    ++changes_;
}

void QuotaTrees::detach(QuotaId id) {
    Quota& quota = at(id);
    if (!is_special(id)) {
        Quota& parent = at(quota.parent);
        BERTH_ASSERT(std::erase(parent.children, id) == 1,
                     "a quota stands among its parent's children");
        parent.unsettled = true;
        at(parent.parent).unsettled = true;
        count_keys(quota.spec, false);
        update_tree_total(quota.spec, false);
    }
    for (std::size_t r = 0; r < resource_count_; ++r) {
        // Only the limited request was added to the parent's, so only that is taken away.
        add_child_request(quota.parent, r, -quota.limited_request[r]);
        add_to_used(quota.parent, r, -quota.used[r], -quota.fixed[r]);
    }
    ++changes_;
}

void QuotaTrees::count_keys(const QuotaSpec& spec, bool added) {
    Root& root = roots_.at(spec.tree_id);
    for_each_resource(spec.max.keys(), [&](std::size_t r) {
        BERTH_ASSERT(added || root.limited_by[r] > 0, "a max leaves the tree in which it counts");
        root.limited_by[r] += added ? 1U : -1U;
        const std::uint64_t bit = std::uint64_t{1} << r;
        root.keys = root.limited_by[r] > 0 ? root.keys | bit : root.keys & ~bit;
    });
}

void QuotaTrees::update_tree_total(const QuotaSpec& spec, bool exists) {
    if (spec.tree_id.empty() || !spec.total_resource) {
        return;
    }
    Root& root = roots_.at(spec.tree_id);
    root.total = exists && !spec.total_resource->all_zero() ? *spec.total_resource
                                                            : ResourceList(resource_count_);
    root.ignore_default_tree = spec.ignore_default_tree;
    update_default_total();
}

void QuotaTrees::set_cluster_total(const ResourceList& total) {
    BERTH_ASSERT(total.resource_count() == resource_count_, "amounts are by the schema");
    total_known_ = total_known_ || cluster_total_set_ || !total.all_zero();
    cluster_total_set_ = true;
    cluster_total_ = total;
    update_default_total();
}

void QuotaTrees::update_default_total() {
    ResourceList total = cluster_total_;
    for (const auto& [tree_id, root] : roots_) {
        if (tree_id.empty() || root.ignore_default_tree) {
            continue;
        }
        for_each_resource(root.total.keys(), [&](std::size_t r) {
            total.set(r, difference_of(total[r], root.total[r]));
        });
        total_known_ = total_known_ || !root.total.all_zero();
    }
    roots_.at("").total = total;
    ++changes_;
}

std::optional<Amount> QuotaTrees::total_of(QuotaId root, std::size_t resource) const {
    BERTH_AUDIT(is_root(root), "a tree's total is asked of its root");
    const ResourceList& total = root_of(root).total;
    if (root != default_root) {
        return total.has(resource) ? std::optional(total[resource]) : std::nullopt;
    }
    const Amount special = sum_of(used(system_quota, resource), used(default_quota, resource));
    if (!total_known_ || (!total.has(resource) && special == 0)) {
        return std::nullopt;
    }
    return difference_of(total[resource], special);
}

ResourceList QuotaTrees::total(QuotaId root) const {
    ResourceList out(resource_count_);
    for (std::size_t r = 0; r < resource_count_; ++r) {
        if (const auto amount = total_of(root, r)) {
            out.set(r, *amount);
        }
    }
    return out;
}

std::optional<QuotaId> QuotaTrees::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<QuotaId> QuotaTrees::roots() const {
    std::vector<QuotaId> out;
    for (const auto& [tree_id, root] : roots_) {
        out.push_back(root.quota);
    }
    return out;
}

/// Adds to what a quota's pods and children ask for, and carries the difference up as long as there
/// is one.
void QuotaTrees::add_child_request(QuotaId id, std::size_t resource, Amount amount) {
    while (amount != 0) {
        Quota& quota = at(id);
        increase(quota.child_request[resource], amount);
        const Amount before = quota.limited_request[resource];
        const Amount after = limited(quota, resource);
        quota.limited_request[resource] = after;
        if (is_root(id) || before == after) {
            return;
        }
        amount = difference_of(after, before);
        Quota& parent = at(quota.parent);
        if (!parent.unsettled && !is_special(id)) {
            Sharing& sharing = parent.sharings[resource];
            Share& share = sharing.shares[quota.position];
            if (!sharing.stale && !share.indifferent_to(after)) {
                sharing.stale = true;
                ++changes_;
            }
            share.request = after;
        }
        id = quota.parent;
    }
}

void QuotaTrees::add_to_used(QuotaId id, std::size_t resource, Amount amount, Amount fixed) {
    if (amount == 0 && fixed == 0) {
        return;
    }
    for (;; id = parent(id)) {
        increase(at(id).used[resource], amount);
        increase(at(id).fixed[resource], fixed);
        if (is_root(id)) {
            break;
        }
    }
    total_known_ =
        total_known_ || used(system_quota, resource) != 0 || used(default_quota, resource) != 0;
    ++changes_;
}

void QuotaTrees::add_request(QuotaId id, std::span<const Amount> amounts, Members pods) {
    BERTH_ASSERT(amounts.size() == resource_count_, "a request is by the schema");
    BERTH_ASSERT(exists(id), "pods ask for room in a quota that exists");
    Quota& quota = at(id);
    for (std::size_t r = 0; r < resource_count_; ++r) {
        const Amount amount = product_of(amounts[r], pods);
        increase(quota.own_request[r], amount);
        if (counts(id, r)) {
            see_parts(id, r, amounts[r]);
            add_child_request(id, r, amount);
        }
    }
}

void QuotaTrees::add_used(QuotaId id,
                          std::span<const Amount> amounts,
                          Members pods,
                          bool preemptible) {
    BERTH_ASSERT(amounts.size() == resource_count_, "what is used is by the schema");
    BERTH_ASSERT(exists(id), "pods run in a quota that exists");
    Quota& quota = at(id);
    for (std::size_t r = 0; r < resource_count_; ++r) {
        const Amount amount = product_of(amounts[r], pods);
        const Amount fixed = preemptible ? 0 : amount;
        increase(quota.own_used[r], amount);
        increase(quota.own_fixed[r], fixed);
        if (counts(id, r)) {
            add_to_used(id, r, amount, fixed);
        }
    }
}

}  // namespace berth::core
