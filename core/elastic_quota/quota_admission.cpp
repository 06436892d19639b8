#include "core/elastic_quota/quota_admission.hpp"

#include <span>

#include "core/support/assert.hpp"

namespace berth::core {

using Reason = QuotaRefusal::Reason;

std::optional<Amount> quota_limit(QuotaTrees& trees,
                                  QuotaId quota,
                                  std::size_t resource,
                                  const AdmissionRules& rules) {
    const QuotaSpec& spec = trees.spec(quota);
    const bool special = trees.is_special(quota);
    if (rules.limit == QuotaLimit::runtime && !(special && rules.default_group_max)) {
        return trees.runtime(quota, resource);
    }
    const ResourceList& most = rules.limit == QuotaLimit::min && !special ? spec.min : spec.max;
    if (rules.limit == QuotaLimit::min && !special && spec.max.has(resource)) {
        return most[resource];  // a resource that min lacks is guaranteed to no quota
    }
    return most.has(resource) ? std::optional(most[resource]) : std::nullopt;
}

namespace {

__extension__ using Wide = __int128;

/// The resources of `keys` in which `used` and the request of all pods together exceed the limit.
/// The request counts only in the resources of `counted`.
template <class Used, class Limit>
std::uint64_t exceeded(std::span<const Amount> request,
                       std::uint64_t counted,
                       Members pods,
                       std::uint64_t keys,
                       Used used,
                       Limit limit) {
    std::uint64_t out = 0;
    for_each_resource(keys, [&](std::size_t r) {
        const std::uint64_t bit = std::uint64_t{1} << r;
        const Wide more = (counted & bit) != 0 ? Wide{request[r]} * pods : 0;
        const std::optional<Amount> most = limit(r);
        out |= most && Wide{used(r)} + more > *most ? bit : 0;
    });
    return out;
}

}  // namespace

std::optional<QuotaRefusal> check_admission(QuotaTrees& trees,
                                            QuotaId quota,
                                            std::span<const Amount> request,
                                            std::uint64_t keys,
                                            Members pods,
                                            bool preemptible,
                                            const AdmissionRules& rules) {
    BERTH_ASSERT(trees.exists(quota), "pods are admitted to a quota that exists");
    BERTH_ASSERT(trees.resource_count() > 0 && request.size() == trees.resource_count(),
                 "a request is by the schema, which has a resource");
    BERTH_ASSERT(pods >= 0, "a number of pods is asked about");
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - trees.resource_count());
    BERTH_ASSERT((keys & ~all) == 0, "a pod asks for resources of the schema alone");
    std::uint64_t counted = 0;
    for_each_resource(keys, [&](std::size_t r) {
        counted |= trees.counts(quota, r) ? std::uint64_t{1} << r : 0;
    });
    const auto over_limit_of = [&](QuotaId id, std::uint64_t looked_at) {
        return exceeded(
            request,
            counted,
            pods,
            looked_at,
            [&](std::size_t r) { return trees.used(id, r); },
            [&](std::size_t r) { return quota_limit(trees, id, r, rules); });
    };
    if (const std::uint64_t over = over_limit_of(quota, all)) {
        return QuotaRefusal{Reason::limit, quota, over};
    }
    if (!preemptible) {
        const ResourceList& min = trees.spec(quota).min;
        const std::uint64_t over = exceeded(
            request,
            counted,
            pods,
            min.keys(),
            [&](std::size_t r) { return trees.non_preemptible_used(quota, r); },
            [&](std::size_t r) { return std::optional(min[r]); });
        if (over != 0) {
            return QuotaRefusal{Reason::min, quota, over};
        }
    }
    for (QuotaId above = trees.parent(quota); rules.check_parents && !trees.is_root(above);
         above = trees.parent(above)) {
        if (const std::uint64_t over = over_limit_of(above, counted)) {
            return QuotaRefusal{Reason::parent, above, over};
        }
    }
    return std::nullopt;
}

}  // namespace berth::core
