#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// One sibling's part in the sharing of one resource.
struct Share {
    Amount request = 0;  ///< Limited by max.
    Amount weight = 0;   ///< Shared weight; 0 or less: nothing beyond min.
    Amount min = 0;      ///< In force: scaled down where the parent has too little.
    Amount runtime = 0;  ///< The result.
    bool lent = true;    ///< What is not requested of min goes to the siblings.

    /// Whether another request would leave every sibling's runtime as it is: a sibling that still
    /// asks for more than it gets takes what it took, and one that keeps its min keeps it.
    [[nodiscard]] bool indifferent_to(Amount other_request) const {
        if (request > min && other_request > min) {
            return runtime < request && runtime < other_request;
        }
        return !lent && request <= min && other_request <= min;
    }
};

/// Divides what a parent has of one resource among its children: each gets its min, or what it asks
/// for if that is less and it lends; what is left goes to those that ask for more, by weight, in
/// rounds, until it is used up or nobody asks for more. A round hands out all whole units that are
/// left: the siblings whose fractions are largest get one unit more each.
///
/// Shape:  siblings by name, bytewise; their order breaks the ties between equal remainders.
/// Cost:   O(siblings x rounds); a round ends at least one sibling's request, and one to three
///         rounds are usual. Keeps its buffers from call to call.
/// Source: Koordinator's "Multi Hierarchy Elastic Quota Management" v1.1, "Calculate RuntimeQuota";
///         the rounding is Koordinator's since 7b990443 (`runtime_quota_calculator.go`,
///         redistribution).
class WaterFilling {
public:
    /// `total` may be negative or less than the sum of min: then nobody gets more than min.
    /// Each request and min is a multiple of `unit`, and so is each runtime; the total need not be.
    void share(Amount total, std::span<Share> siblings, Amount unit = 1);

    /// Siblings looked at so far, once a round.
    [[nodiscard]] std::uint64_t visits() const { return visits_; }

private:
    __extension__ using Wide = __int128;
    template <class Number>
    struct Remainder {
        Number value = 0;
        std::uint32_t sibling = 0;
    };
    [[nodiscard]] Wide round(Wide left, Wide weights, std::span<Share> siblings);
    void divide(Amount left, Amount weights, std::span<Share> siblings);
    void divide_wide(Wide left, Wide weights, std::span<Share> siblings);
    template <class Number>
    void hand_out_rest(Wide rest,
                       std::vector<Remainder<Number>>& remainders,
                       std::span<Share> siblings) const;

    std::vector<std::uint32_t> hungry_;  ///< Siblings that ask for more.
    std::vector<Remainder<std::uint64_t>> remainders_;
    std::vector<Remainder<Wide>> wide_remainders_;
    Wide hungry_weights_ = 0;
    bool negative_weights_ = false;
    Amount unit_ = 1;
    std::uint64_t visits_ = 0;
};

}  // namespace berth::core
