#include "core/elastic_quota/quota_eviction.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Indices of pods, the most important first.
std::vector<std::size_t> by_importance(const std::vector<QuotaPod>& pods) {
    std::vector<std::size_t> order(pods.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) {
        return std::tuple(-static_cast<std::int64_t>(pods[i].priority), pods[i].start, i);
    });
    return order;
}

bool above(const ResourceList& used, const ResourceList& limit) {
    bool out = false;
    for_each_resource(used.keys() & limit.keys(),
                      [&](std::size_t r) { out = out || used[r] > limit[r]; });
    return out;
}

__extension__ using Wide = __int128;

/// a + sign x b, in the resources of `keys`.
ResourceList combine(const ResourceList& a,
                     const ResourceList& b,
                     Amount sign,
                     std::uint64_t keys) {
    ResourceList out(a.resource_count());
    for_each_resource(keys, [&](std::size_t r) { out.set(r, a[r] + sign * b[r]); });
    return out;
}

}  // namespace

std::vector<std::size_t> pods_to_revoke(ResourceList used,
                                        const ResourceList& limit,
                                        const std::vector<QuotaPod>& pods,
                                        RevokeRules rules) {
    BERTH_ASSERT(used.resource_count() == limit.resource_count(),
                 "what is used and its limit are by one schema");
    BERTH_AUDIT(std::ranges::all_of(pods,
                                    [&](const QuotaPod& pod) {
                                        return pod.request.resource_count() ==
                                               used.resource_count();
                                    }),
                "every pod's request is by the schema of its quota");
    const auto keys_after = [&](const QuotaPod& pod) {
        return rules == RevokeRules::published ? pod.request.keys()
                                               : used.keys() | pod.request.keys();
    };
    const std::vector<std::size_t> order = by_importance(pods);
    std::vector<std::size_t> taken;
    for (std::size_t i = order.size(); i-- > 0 && above(used, limit);) {
        const QuotaPod& pod = pods[order[i]];
        if (pod.preemptible) {
            used = combine(used, pod.request, -1, keys_after(pod));
            taken.push_back(order[i]);
        }
    }
    if (above(used, limit)) {
        return taken;
    }
    std::vector<std::size_t> revoked;
    for (std::size_t i = taken.size(); i-- > 0;) {
        const QuotaPod& pod = pods[taken[i]];
        used = combine(used, pod.request, 1, keys_after(pod));
        if (above(used, limit)) {
            used = combine(used, pod.request, -1, used.keys());
            revoked.push_back(taken[i]);
        }
    }
    return revoked;
}

namespace {

/// What the node has left and what the quota uses while pods are taken out and put back.
class Reprieve {
public:
    explicit Reprieve(PreemptionView view) : view_(std::move(view)) {
        const std::size_t resources = view_.request.resource_count();
        BERTH_ASSERT(view_.available.resource_count() == resources &&
                         view_.used.resource_count() == resources,
                     "the amounts of the node and of the quota are by the preemptor's schema");
        BERTH_ASSERT(view_.limit.resource_count() == resources &&
                         view_.counted.resource_count() == resources,
                     "the quota's limits are by the preemptor's schema");
    }

    void take_out(const QuotaPod& pod) { move(pod, -1); }
    void put_back(const QuotaPod& pod) { move(pod, 1); }
    [[nodiscard]] bool fits() const {
        bool out = true;
        for_each_resource(view_.request.keys(), [&](std::size_t r) {
            out = out && view_.request[r] <= view_.available[r];
        });
        return out;
    }
    [[nodiscard]] bool quota_exceeded() const {
        bool out = false;
        for_each_resource(view_.request.keys() & view_.limit.keys(), [&](std::size_t r) {
            out = out || Wide{view_.used[r]} + view_.request[r] > view_.limit[r];
        });
        return out;
    }

private:
    void move(const QuotaPod& pod, Amount sign) {
        for_each_resource(pod.request.keys(), [&](std::size_t r) {
            view_.available.set(r, view_.available[r] - sign * pod.request[r]);
            if (view_.counted.has(r)) {
                view_.used.set(r, std::max<Amount>(0, view_.used[r] + sign * pod.request[r]));
            }
        });
    }
    PreemptionView view_;
};

}  // namespace

Victims select_victims(PreemptionView view,
                       const std::vector<QuotaPod>& pods,
                       const ServesWithout& serves) {
    if (pods.empty()) {
        return {PreemptionCode::unresolvable, {}};
    }
    Reprieve reprieve(std::move(view));
    std::ranges::for_each(pods, [&](const QuotaPod& pod) { reprieve.take_out(pod); });
    Victims out;
    const std::vector<std::size_t> order = by_importance(pods);
    std::span<const std::size_t> to_put_back = order;
    const auto fits_now = [&] {
        if (!reprieve.fits() || !serves) {
            return reprieve.fits();
        }
        std::vector<std::size_t> gone = out.pods;
        gone.insert(gone.end(), to_put_back.begin(), to_put_back.end());
        return serves(gone);
    };
    if (!fits_now()) {
        return {PreemptionCode::unschedulable, {}};
    }
    for (const std::size_t i : order) {
        reprieve.put_back(pods[i]);
        to_put_back = to_put_back.subspan(1);
        const bool fits = fits_now();
        if (!fits) {
            reprieve.take_out(pods[i]);
        }
        const bool exceeded = reprieve.quota_exceeded();
        if (!fits && exceeded) {
            return {PreemptionCode::error, {}};
        }
        if (!fits || exceeded) {
            out.pods.push_back(i);
        }
        if (fits && exceeded) {
            reprieve.take_out(pods[i]);
        }
    }
    return out;
}

}  // namespace berth::core
