// The other half of QuotaTrees: how much each quota may use now, which is its share of its parent's
// runtime.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "core/support/assert.hpp"

namespace berth::core {

Amount QuotaTrees::weight(QuotaId quota, std::size_t resource) const {
    const QuotaSpec& spec = at(quota).spec;
    return spec.shared_weight.all_zero() ? spec.max[resource] : spec.shared_weight[resource];
}

void QuotaTrees::share_whole(std::size_t resource, Amount unit) {
    BERTH_ASSERT(quotas_.size() == 3, "units are told before there are quotas");
    units_[resource] = unit;
    roots_.at("").units[resource] = unit;
}

/// If the amount is not a whole number of pieces, the quota's tree shares parts of pieces from now
/// on.
void QuotaTrees::see_parts(QuotaId quota, std::size_t resource, Amount amount) {
    if (units_[resource] == 1 || amount % units_[resource] == 0 || is_special(quota) ||
        root_of(quota).units[resource] == 1) {
        return;
    }
    root_of(quota).units[resource] = 1;
    for (Quota& other : quotas_) {
        other.unsettled = other.unsettled || other.spec.tree_id == at(quota).spec.tree_id;
    }
    ++changes_;
}

/// The resources in which a parent's children get a runtime.
std::uint64_t QuotaTrees::shared_keys(QuotaId parent) const {
    return is_root(parent) ? root_of(parent).keys : at(parent).spec.max.keys();
}

void QuotaTrees::settle(Quota& parent) {
    for (std::size_t r = 0; r < resource_count_; ++r) {
        Sharing& sharing = parent.sharings[r];
        sharing.stale = true;
        sharing.unit = roots_.at(parent.spec.tree_id).units[r];
        sharing.shares.clear();
        sharing.declared_min.clear();
        sharing.declared_min_sum = 0;
        for (const QuotaId child : parent.children) {
            const Quota& quota = at(child);
            Share share;
            share.request = quota.limited_request[r];
            share.weight = weight(child, r);
            share.min = quota.spec.min[r];
            share.lent = quota.spec.allow_lent_resource;
            sharing.shares.push_back(share);
            sharing.declared_min.push_back(share.min);
            sharing.declared_min_sum += share.min;
        }
    }
    parent.inner_children.clear();
    for (std::uint32_t i = 0; i < parent.children.size(); ++i) {
        Quota& child = at(parent.children[i]);
        child.position = i;
        if (!child.children.empty()) {
            parent.inner_children.push_back(parent.children[i]);
        }
    }
    parent.unsettled = false;
}

/// min in force = total x min / sum of min if the sum is more than the total. It is computed in
/// doubles and truncated, as in the real system.
void QuotaTrees::scale(Sharing& sharing, std::optional<Amount> total) const {
    BERTH_AUDIT(sharing.declared_min.size() == sharing.shares.size(),
                "every sibling's min stands at its place");
    for (std::size_t i = 0; i < sharing.shares.size(); ++i) {
        sharing.shares[i].min = sharing.declared_min[i];
    }
    if (!scale_min_ || !total || *total >= sharing.declared_min_sum) {
        return;
    }
    const auto units = [&](auto amount) {
        const auto whole = amount / sharing.unit;
        return static_cast<double>(whole);
    };
    // The largest double that is an Amount: 2^63 - 1 itself would be rounded up.
    const double most = 9223372036854774784.0 / static_cast<double>(sharing.unit);
    for (Share& share : sharing.shares) {
        const double part = units(*total) * units(share.min) / units(sharing.declared_min_sum);
        share.min = *total <= 0 ? 0 : static_cast<Amount>(std::min(part, most)) * sharing.unit;
    }
}

/// The sharing of what a parent has among its children.
QuotaTrees::Sharing& QuotaTrees::brought_up_to_date(Quota& family,
                                                    std::size_t resource,
                                                    std::optional<Amount> total) {
    if (family.unsettled) {
        settle(family);
    }
    Sharing& sharing = family.sharings[resource];
    if (sharing.stale || sharing.total != total) {
        scale(sharing, total);
        filling_.share(total.value_or(0), sharing.shares, sharing.unit);
        sharing.total = total;
        sharing.stale = false;
        ++sharings_;
    }
    return sharing;
}

/// What a child has to share among its own children: its runtime, if it has one.
std::optional<Amount> QuotaTrees::handed_down(QuotaId child,
                                              const Sharing& sharing,
                                              std::size_t resource) const {
    const bool shared = (shared_keys(at(child).parent) >> resource & 1) != 0;
    BERTH_AUDIT(at(child).position < sharing.shares.size(),
                "a child has its place in its settled family");
    return shared ? std::optional(sharing.shares[at(child).position].runtime) : std::nullopt;
}

/// The sharing among a parent's children, after bringing it up to date from the root down.
QuotaTrees::Sharing& QuotaTrees::current(QuotaId parent, std::size_t resource) {
    path_.clear();
    for (QuotaId id = parent;; id = at(id).parent) {
        BERTH_AUDIT(path_.size() < quotas_.size(), "no quota is its own ancestor");
        path_.push_back(id);
        if (is_root(id)) {
            break;
        }
    }
    std::optional<Amount> total = total_of(path_.back(), resource);
    for (std::size_t i = path_.size(); --i > 0;) {
        const Sharing& sharing = brought_up_to_date(at(path_[i]), resource, total);
        total = handed_down(path_[i - 1], sharing, resource);
    }
    return brought_up_to_date(at(parent), resource, total);
}

void QuotaTrees::refresh() {
    BERTH_AUDIT(!find_wrong_sum(), "a quota has what its own pods and its children have");
    for (const auto& [tree_id, root] : roots_) {
        for (std::size_t r = 0; r < resource_count_; ++r) {
            refresh_below(root.quota, r, total_of(root.quota, r));
        }
    }
}

void QuotaTrees::refresh_below(QuotaId parent, std::size_t resource, std::optional<Amount> total) {
    const Sharing& sharing = brought_up_to_date(at(parent), resource, total);
    for (const QuotaId child : at(parent).inner_children) {
        refresh_below(child, resource, handed_down(child, sharing, resource));
    }
}

void QuotaTrees::find_over_use(std::vector<bool>& over) {
    refresh();
    over.assign(quotas_.size(), false);
    for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
        const Quota& parent = quotas_[i];
        if (!parent.exists || parent.children.empty()) {
            continue;
        }
        for_each_resource(shared_keys(QuotaId{i}), [&](std::size_t r) {
            const std::vector<Share>& shares = parent.sharings[r].shares;
            BERTH_AUDIT(shares.size() == parent.children.size(),
                        "a refresh shares among the children that there are");
            for (std::size_t child = 0; child < shares.size(); ++child) {
                const QuotaId quota = parent.children[child];
                if (used(quota, r) > shares[child].runtime) {
                    over[quota.index] = true;
                }
            }
        });
    }
}

std::optional<Amount> QuotaTrees::refreshed_runtime(QuotaId quota, std::size_t resource) const {
    const Quota& parent = at(at(quota).parent);
    if (is_special(quota) || (shared_keys(at(quota).parent) >> resource & 1) == 0) {
        return std::nullopt;
    }
    BERTH_ASSERT(!parent.unsettled && !parent.sharings[resource].stale,
                 "nothing changed since the refresh");
    return parent.sharings[resource].shares[at(quota).position].runtime;
}

Amount QuotaTrees::scaled_min(QuotaId quota, std::size_t resource) {
    BERTH_ASSERT(!is_root(quota) && !is_special(quota), "a quota that shares has a min in force");
    return current(at(quota).parent, resource).shares[at(quota).position].min;
}

std::optional<Amount> QuotaTrees::runtime(QuotaId quota, std::size_t resource) {
    BERTH_AUDIT(exists(quota) && resource < resource_count_,
                "a runtime is asked of a quota that exists, in a resource of the schema");
    if (is_root(quota)) {
        return total_of(quota, resource);
    }
    if (is_special(quota) || (shared_keys(at(quota).parent) >> resource & 1) == 0) {
        return std::nullopt;
    }
    return current(at(quota).parent, resource).shares[at(quota).position].runtime;
}

}  // namespace berth::core
