#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <compare>
#include <limits>

#include "core/tree/ids.hpp"

namespace berth::core::kueue {

/// An amount without a limit. Sums saturate: a sum that overflows is without a limit, too, so none
/// comes to this value by chance.
/// Source: Kueue, pkg/resources/amount.go.
inline constexpr Amount unlimited = std::numeric_limits<Amount>::max();
inline constexpr Amount least_amount = std::numeric_limits<Amount>::min();

[[nodiscard]] constexpr Amount plus(Amount a, Amount b) {
    if (a == unlimited || b == unlimited) {
        return unlimited;
    }
    Amount sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? (a > 0 ? unlimited : least_amount) : sum;
}

[[nodiscard]] constexpr Amount minus(Amount a, Amount b) {
    if (a == unlimited) {
        return b == unlimited ? 0 : unlimited;
    }
    if (b == unlimited) {
        return least_amount;
    }
    Amount difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? (a > 0 ? unlimited : least_amount)
                                                     : difference;
}

[[nodiscard]] constexpr Amount times(Amount amount, std::int64_t count) {
    if (amount == unlimited && count > 0) {
        return unlimited;
    }
    Amount product = 0;
    return __builtin_mul_overflow(amount, count, &product)
               ? ((amount > 0) == (count > 0) ? unlimited : least_amount)
               : product;
}

/// A flavor, numbered among the names that a cache has seen; it may name no ResourceFlavor.
using FlavorId = Id<struct FlavorTag>;
/// A resource, numbered among the names that a cache has seen.
using ResourceId = Id<struct QuotaResourceTag>;
/// A LocalQueue whose usage decides which workload of its ClusterQueue goes first.
using LocalQueueId = Id<struct LocalQueueTag>;

/// The unit in which quota is given and counted: one resource of one flavor.
struct FlavorResource {
    FlavorId flavor;
    ResourceId resource;
    friend constexpr auto operator<=>(FlavorResource, FlavorResource) = default;
};

using ResourceAmounts = boost::container::flat_map<ResourceId, Amount>;
using ResourceFlavors = boost::container::flat_map<ResourceId, FlavorId>;
using FlavorResourceAmounts = boost::container::flat_map<FlavorResource, Amount>;
using FlavorResources = boost::container::flat_set<FlavorResource>;

/// Adds to the amount under `key`, which is 0 if there is none yet.
template <class Amounts>
void add_to(Amounts& amounts, typename Amounts::key_type key, Amount amount) {
    Amount& sum = amounts[key];
    sum = plus(sum, amount);
}

}  // namespace berth::core::kueue
