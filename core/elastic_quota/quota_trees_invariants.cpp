// Compares what QuotaTrees records of each quota with what follows from the quotas' pods and specs.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"

namespace berth::core {
namespace {

std::string text(std::optional<Amount> amount) {
    return amount ? fmt::format("{}", *amount) : "no limit";
}

Violation wrong(
    const char* invariant, const QuotaSpec& quota, std::size_t r, Amount found, Amount expected) {
    return {invariant,
            fmt::format("quota {}, resource {}", quota.name, r),
            fmt::format("{}", found),
            fmt::format("{}", expected)};
}

}  // namespace

/// Checks what each quota's own pods ask for and use.
std::optional<Violation> QuotaTrees::find_wrong_pods(std::span<const OfPods> pods) const {
    for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
        const Quota& quota = quotas_[i];
        for (std::size_t r = 0; quota.exists && r < resource_count_; ++r) {
            if (quota.own_request[r] != pods[i].request[r]) {
                return wrong("a quota's own request is that of its pods",
                             quota.spec,
                             r,
                             quota.own_request[r],
                             pods[i].request[r]);
            }
            if (quota.own_used[r] != pods[i].used[r]) {
                return wrong("what a quota itself uses is what its pods have",
                             quota.spec,
                             r,
                             quota.own_used[r],
                             pods[i].used[r]);
            }
            if (quota.own_fixed[r] != pods[i].non_preemptible[r]) {
                return wrong(
                    "what a quota itself uses for good is what its pods have that cannot "
                    "be preempted",
                    quota.spec,
                    r,
                    quota.own_fixed[r],
                    pods[i].non_preemptible[r]);
            }
        }
    }
    return std::nullopt;
}

/// Checks that what each quota uses and asks for is the sum over its own pods and its children, in
/// the resources that count for it.
std::optional<Violation> QuotaTrees::find_wrong_sum() const {
    for (std::size_t r = 0; r < resource_count_; ++r) {
        std::vector<Wide> used(quotas_.size(), 0);
        std::vector<Wide> fixed(quotas_.size(), 0);
        std::vector<Wide> asked(quotas_.size(), 0);
        for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
            const Quota& quota = quotas_[i];
            if (!quota.exists) {
                continue;
            }
            if (counts(QuotaId{i}, r)) {
                used[i] += quota.own_used[r];
                fixed[i] += quota.own_fixed[r];
                asked[i] += quota.own_request[r];
            }
            if (quota.parent != QuotaId{i}) {
                used[quota.parent.index] += quota.used[r];
                fixed[quota.parent.index] += quota.fixed[r];
                asked[quota.parent.index] += quota.limited_request[r];
            }
        }
        for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
            const Quota& quota = quotas_[i];
            const auto as_amount = [](Wide sum) { return static_cast<Amount>(sum); };
            if (quota.exists && used[i] != quota.used[r]) {
                return wrong("a quota uses what its own pods and its children use",
                             quota.spec,
                             r,
                             quota.used[r],
                             as_amount(used[i]));
            }
            if (quota.exists && fixed[i] != quota.fixed[r]) {
                return wrong("a quota uses for good what its own pods and its children do",
                             quota.spec,
                             r,
                             quota.fixed[r],
                             as_amount(fixed[i]));
            }
            if (quota.exists && asked[i] != quota.child_request[r]) {
                return wrong("a quota asks for what its own pods and its children ask for",
                             quota.spec,
                             r,
                             quota.child_request[r],
                             as_amount(asked[i]));
            }
            if (quota.exists && quota.limited_request[r] != limited(quota, r)) {
                return wrong("a quota asks its parent for no more than its max",
                             quota.spec,
                             r,
                             quota.limited_request[r],
                             limited(quota, r));
            }
        }
    }
    return std::nullopt;
}

/// Trees with the same quotas, added in the order of their numbers as far as parents allow, and
/// with what their pods ask for and use.
QuotaTrees QuotaTrees::built_anew() const {
    QuotaTrees fresh(resource_count_, scale_min_);
    std::vector<QuotaId> left;
    for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
        const QuotaId id{i};
        if (is_special(id) && !quotas_[i].spec.max.empty()) {
            fresh.set_special_max(id, quotas_[i].spec.max);
        } else if (!is_special(id) && !is_root(id) && quotas_[i].exists) {
            left.push_back(id);
        }
    }
    while (!left.empty()) {
        std::erase_if(left, [&](QuotaId id) {
            const bool ready = is_root(parent(id)) || fresh.find(name(parent(id)));
            if (ready) {
                (void)fresh.add(spec(id));
            }
            return ready;
        });
    }
    fresh.set_cluster_total(cluster_total_);
    for (const Quota& quota : quotas_) {
        const auto id = quota.exists ? fresh.find(quota.spec.name) : std::nullopt;
        if (id) {
            fresh.add_request(*id, quota.own_request, 1);
            fresh.add_used(*id, quota.own_used, 1, true);
        }
    }
    fresh.total_known_ = total_known_;  // only the past can tell whether the total was ever known
    for (auto& [tree_id, root] : fresh.roots_) {
        // And whether a pod or a quota had a part of a piece.
        root.units = roots_.at(tree_id).units;
    }
    return fresh;
}

/// Checks that siblings' runtimes are together within what their parent has if their mins are;
/// otherwise no sibling has more than its min.
std::optional<Violation> QuotaTrees::find_excess(QuotaId parent, std::size_t resource) {
    Wide runtimes = 0;
    Wide mins = 0;
    bool negative_weight = false;  // a negative weight gives siblings more than is left
    for (const QuotaId child : children(parent)) {
        const auto runtime = this->runtime(child, resource);
        if (!runtime) {
            return std::nullopt;
        }
        runtimes += *runtime;
        mins += scaled_min(child, resource);
        negative_weight = negative_weight || weight(child, resource) < 0;
    }
    const Wide most = std::max<Wide>(this->runtime(parent, resource).value_or(0), mins);
    if (runtimes <= most || negative_weight) {
        return std::nullopt;
    }
    return wrong("siblings' runtimes are together no more than their parent has, or their mins are",
                 spec(parent),
                 resource,
                 static_cast<Amount>(runtimes),
                 static_cast<Amount>(most));
}

/// Works on copies, since reading a runtime brings it up to date.
std::optional<Violation> QuotaTrees::find_wrong_runtime() const {
    QuotaTrees now = *this;
    QuotaTrees fresh = built_anew();
    for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
        const auto same = quotas_[i].exists ? fresh.find(quotas_[i].spec.name) : std::nullopt;
        for (std::size_t r = 0; same && r < resource_count_; ++r) {
            const auto found = now.runtime(QuotaId{i}, r);
            const auto expected = fresh.runtime(*same, r);
            if (found != expected) {
                return Violation{"a quota has the runtime of trees that are built anew",
                                 fmt::format("quota {}, resource {}", quotas_[i].spec.name, r),
                                 text(found),
                                 text(expected)};
            }
            if (auto violation = now.find_excess(QuotaId{i}, r)) {
                return violation;
            }
        }
    }
    return std::nullopt;
}

std::optional<Violation> QuotaTrees::find_violation(std::span<const OfPods> pods) const {
    if (auto violation = find_wrong_pods(pods)) {
        return violation;
    }
    if (auto violation = find_wrong_sum()) {
        return violation;
    }
    return find_wrong_runtime();
}

}  // namespace berth::core
