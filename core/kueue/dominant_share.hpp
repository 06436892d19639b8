#pragma once

#include <compare>

#include "core/kueue/amounts.hpp"

namespace berth::core::kueue {

/// How much a node borrows, as the greatest share of any one resource.
///
/// Units:  thousandths of what its cohort could lend, divided by its weight when compared.
/// Source: Kueue, pkg/cache/scheduler/fair_sharing.go, whose floating point it repeats.
struct DominantShare {
    double ratio = 0;
    double weight = 1;
    FlavorResources borrowed;  ///< What is used above the node's quota.

    [[nodiscard]] bool borrows() const { return !borrowed.empty(); }
    /// Borrowing with a weight of 0, which is more than any share.
    [[nodiscard]] bool is_infinite() const { return weight == 0 && ratio != 0; }
    [[nodiscard]] bool borrows_any_of(const FlavorResourceAmounts& requests) const;
};

/// By share; among infinite ones by their ratio.
[[nodiscard]] std::weak_ordering compare(const DominantShare& a, const DominantShare& b);

}  // namespace berth::core::kueue
