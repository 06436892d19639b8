#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// One sibling's part in the sharing of one resource.
struct Share {
    Amount request = 0;  ///< The request, limited by max.
    Amount weight = 0;   ///< The shared weight; 0 or less: the sibling gets nothing beyond min.
    Amount min = 0;      ///< The min in force: scaled down if the parent has too little.
    Amount runtime = 0;  ///< The result.
    bool lent = true;    ///< The part of min that the sibling does not request goes to the others.

    /// Whether another request would leave every sibling's runtime unchanged: a sibling that still
    /// asks for more than it gets takes what it took before, and one that keeps its min goes on
    /// keeping it.
    [[nodiscard]] bool indifferent_to(Amount other_request) const {
        if (request > min && other_request > min) {
            return runtime < request && runtime < other_request;
        }
        return !lent && request <= min && other_request <= min;
    }
};

/// Divides what a parent has of one resource among its children: each gets its min, or what it asks
/// for if that is less and it lends; what is left goes to those that ask for more, by weight, in
/// rounds, until it is used up or no child asks for more. A round hands out all whole units that
/// are left: the siblings with the largest fractions get one more unit each.
///
/// Shape:  siblings are ordered by name, bytewise; their order breaks ties between equal
///         remainders.
/// Cost:   O(siblings x rounds). A round completes the request of at least one sibling, and one to
///         three rounds are usual. The buffers are kept from call to call.
/// Source: Koordinator's "Multi Hierarchy Elastic Quota Management" v1.1, "Calculate RuntimeQuota";
///         the rounding is Koordinator's since 7b990443 (`runtime_quota_calculator.go`,
///         redistribution).
class WaterFilling {
public:
    /// `total` may be negative or less than the sum of min: then no sibling gets more than min.
    /// Each request and min is a multiple of `unit`, and so is each runtime; the total need not be.
    void share(Amount total, std::span<Share> siblings, Amount unit = 1);

    /// How many siblings were looked at so far, counted once for each round.
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
