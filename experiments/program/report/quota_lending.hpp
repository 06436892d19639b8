#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "experiments/program/results/quotas.hpp"

namespace berth::report {

/// One of the children of a parent, at one instant, in one resource. Without a min, `min` is 0.
struct SiblingUse {
    double min = 0;
    double request = 0;
    double used = 0;
};

/// Lenders and borrowers at one instant:
///
///   lendable(i) = max(0, min(i) - max(used(i), request(i)))
///   borrowed(j) = max(0, used(j) - min(j))
///   unreserved  = max(0, total - sum of min)
///   S = unreserved + sum of lendable,   B = sum of borrowed
///   lent(i, j)  = lendable(i) * borrowed(j) / max(S, B)      the same for unreserved
///   taken(j)    = borrowed(j) * max(0, B - S) / B            beyond what any source could give
///
/// A quota keeps what its own waiting pods ask for, as in the sharing of runtime. Each borrower's
/// amount comes from all sources in proportion to what each of them has. So the amounts that j gets
/// from all sources, plus `taken`, sum to borrowed(j), and no source gives more than it has.
/// `taken` is what other quotas ask back; it exists while pods wait for an eviction.
struct LendingShares {
    std::vector<double> lendable;  ///< The lendable amount of each sibling.
    std::vector<double> borrowed;  ///< The borrowed amount of each sibling.
    double unreserved = 0;
    double per_source = 0;  ///< 1 / max(S, B), or 0 if no sibling borrows.
    double taken = 0;  ///< max(0, B - S) / B: the share of each borrower's amount that is taken.

    [[nodiscard]] double lent(std::size_t i, std::size_t j) const {
        return lendable[i] * borrowed[j] * per_source;
    }
};

/// Computes the shares. `total` is what the siblings share; NaN: it is not known. Then lendable
/// amounts are used first, and amounts borrowed beyond them count as unreserved.
[[nodiscard]] LendingShares share_lending(std::span<const SiblingUse> siblings, double total);

/// Stand for a source or a borrower that is not a single quota.
inline constexpr std::uint32_t unreserved_source = 0xFFFFFFF0;
inline constexpr std::uint32_t taken_source = 0xFFFFFFF1;
inline constexpr std::uint32_t other_quotas = 0xFFFFFFF2;

struct Loan {
    std::uint32_t lender = 0;  ///< Index into Quotas::quotas, or one of the constants above.
    std::uint32_t borrower = 0;
    double resource_hours = 0;
};

/// All loans between the children of one parent, in one resource, the largest first.
struct Loans {
    std::uint32_t parent = 0;
    std::size_t resource = 0;
    std::vector<Loan> loans;
};

/// Integrates lent(i, j) over the run, for each parent that had two or more children and each
/// resource in which one of them borrowed. The system and default quotas take no part. The total is
/// the parent's runtime or, if the root has none, `root_total` (by resource, NaN: not known).
/// Beyond `named_max` lenders or borrowers, those with the least are joined.
///
/// Units: amounts times hours.
/// Cost:  O(changes * children) time, O(children + named_max^2) memory, for each parent.
[[nodiscard]] std::vector<Loans> integrate_lending(const Quotas& quotas,
                                                   std::span<const double> root_total,
                                                   std::size_t named_max = 20);

}  // namespace berth::report
