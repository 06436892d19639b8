#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "experiments/program/results/quotas.hpp"

namespace berth::report {

/// One of the children of a parent, at one instant, in one resource. Without a min, it is 0.
struct SiblingUse {
    double min = 0;
    double request = 0;
    double used = 0;
};

/// Who can give and who takes, at one instant:
///
///   lendable(i) = max(0, min(i) - max(used(i), request(i)))
///   borrowed(j) = max(0, used(j) - min(j))
///   unreserved  = max(0, total - sum of min)
///   S = unreserved + sum of lendable,   B = sum of borrowed
///   lent(i, j)  = lendable(i) * borrowed(j) / max(S, B)      the same for unreserved
///   taken(j)    = borrowed(j) * max(0, B - S) / B            beyond what anybody had to give
///
/// What a quota's own waiting pods ask for it keeps, as the sharing of runtime does.
/// Each borrower's amount comes from all sources in proportion to what each of them has, so that
/// what j gets from all sources, and `taken`, sum to borrowed(j), and no source gives more than it
/// has. `taken` is what others ask back: it is there while pods wait for an eviction.
struct LendingShares {
    std::vector<double> lendable;  ///< By sibling.
    std::vector<double> borrowed;  ///< By sibling.
    double unreserved = 0;
    double per_source = 0;  ///< 1 / max(S, B), or 0 when nobody borrows.
    double taken = 0;       ///< max(0, B - S) / B: a share of each borrower's amount.

    [[nodiscard]] double lent(std::size_t i, std::size_t j) const {
        return lendable[i] * borrowed[j] * per_source;
    }
};

/// `total`: what the siblings share. NaN when it is not known: then what is lendable goes first,
/// and what is borrowed beyond that counts as unreserved.
[[nodiscard]] LendingShares share_lending(std::span<const SiblingUse> siblings, double total);

/// A source or a borrower that is not one quota.
inline constexpr std::uint32_t unreserved_source = 0xFFFFFFF0;
inline constexpr std::uint32_t taken_source = 0xFFFFFFF1;
inline constexpr std::uint32_t other_quotas = 0xFFFFFFF2;

struct Loan {
    std::uint32_t lender = 0;  ///< Into Quotas::quotas, or one of the above.
    std::uint32_t borrower = 0;
    double resource_hours = 0;
};

/// All loans among the children of one parent, in one resource, largest first.
struct Loans {
    std::uint32_t parent = 0;
    std::size_t resource = 0;
    std::vector<Loan> loans;
};

/// Integrates lent(i, j) over the run, for each parent that had two children or more and each
/// resource in which one of them borrowed. The system and default quotas take no part. The total
/// is the parent's runtime; where the root has none, `root_total` (by resource, NaN when it is not
/// known). Beyond `named_max` lenders or borrowers, those with the least are joined.
///
/// Units: amounts times hours.
/// Cost:  O(changes * children) time, O(children + named_max^2) memory, for each parent.
[[nodiscard]] std::vector<Loans> integrate_lending(const Quotas& quotas,
                                                   std::span<const double> root_total,
                                                   std::size_t named_max = 20);

}  // namespace berth::report
