#include "core/elastic_quota/water_filling.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Up to these bounds, a quotient estimated in doubles is so close to the true one that its
/// remainder fits into 64 bits: the estimate is off by less than 2^54 x 2^-51 + 1 < 10, and 10 x
/// 2^58 < 2^63.
constexpr Amount left_max = Amount{1} << 54;
constexpr Amount weights_max = Amount{1} << 58;

}  // namespace

void WaterFilling::share(Amount total, std::span<Share> siblings, Amount unit) {
    unit_ = unit;
    Wide left = total;
    hungry_.clear();
    hungry_weights_ = 0;
    negative_weights_ = false;
    for (std::uint32_t i = 0; i < siblings.size(); ++i) {
        Share& share = siblings[i];
        if (share.request > share.min) {
            share.runtime = share.min;
            hungry_.push_back(i);
            hungry_weights_ += share.weight;
            negative_weights_ = negative_weights_ || share.weight < 0;
        } else {
            share.runtime = share.lent ? share.request : share.min;
        }
        left -= share.runtime;
    }
    visits_ += siblings.size();
    while (left >= unit_ && !hungry_.empty() && hungry_weights_ > 0) {
        left = round(left, hungry_weights_, siblings);
    }
}

/// Hands out `left`, takes back what exceeds a request, and returns what was taken back.
WaterFilling::Wide WaterFilling::round(Wide left, Wide weights, std::span<Share> siblings) {
    visits_ += hungry_.size();
    if (left <= left_max && weights <= weights_max && !negative_weights_) {
        divide(static_cast<Amount>(left) / unit_, static_cast<Amount>(weights), siblings);
    } else {
        divide_wide(left / unit_, weights, siblings);
    }
    Wide back = 0;
    std::size_t still_hungry = 0;
    hungry_weights_ = 0;
    for (const std::uint32_t i : hungry_) {
        Share& share = siblings[i];
        if (share.runtime < share.request) {
            hungry_[still_hungry++] = i;
            hungry_weights_ += share.weight;
        } else {
            back += share.runtime - share.request;
            share.runtime = share.request;
        }
    }
    hungry_.resize(still_hungry);
    BERTH_ASSERT(negative_weights_ || back < left,
                 "a round hands out more than it takes back, so that rounds end");
    return back;
}

/// Gives each sibling weight x left / weights units, rounded down, without a 128-bit division: the
/// quotient is estimated in doubles and made exact by its remainder, which is computed modulo 2^64.
void WaterFilling::divide(Amount left, Amount weights, std::span<Share> siblings) {
    remainders_.clear();
    const double per_weight = static_cast<double>(left) / static_cast<double>(weights);
    Amount rest = left;
    for (const std::uint32_t i : hungry_) {
        Share& share = siblings[i];
        if (share.weight <= 0) {
            continue;
        }
        auto quotient = static_cast<Amount>(static_cast<double>(share.weight) * per_weight);
        auto remainder = static_cast<Amount>(
            static_cast<std::uint64_t>(share.weight) * static_cast<std::uint64_t>(left) -
            static_cast<std::uint64_t>(quotient) * static_cast<std::uint64_t>(weights));
        for (; remainder < 0; remainder += weights) {
            --quotient;
        }
        for (; remainder >= weights; remainder -= weights) {
            ++quotient;
        }
        share.runtime += quotient * unit_;
        rest -= quotient;
        remainders_.push_back({static_cast<std::uint64_t>(remainder), i});
    }
    BERTH_ASSERT(rest >= 0 && rest < std::ssize(remainders_),
                 "the fractions that are left are less than a unit each");
    hand_out_rest(rest, remainders_, siblings);
}

/// The same for amounts of any size, and for negative weights, which can make a part more than the
/// whole.
void WaterFilling::divide_wide(Wide left, Wide weights, std::span<Share> siblings) {
    if (left > std::numeric_limits<Amount>::max()) {  // a product would not fit
        throw std::overflow_error(
            "more than 2^63 - 1 is left to share: expected smaller amounts, and none below 0");
    }
    wide_remainders_.clear();
    Wide rest = left;
    for (const std::uint32_t i : hungry_) {
        Share& share = siblings[i];
        if (share.weight <= 0) {
            continue;
        }
        const Wide product = left * share.weight;
        const Wide runtime = share.runtime + product / weights * unit_;
        if (runtime > std::numeric_limits<Amount>::max()) {
            throw std::overflow_error(
                "a runtime is more than 2^63 - 1: expected smaller amounts or no negative weight");
        }
        share.runtime = static_cast<Amount>(runtime);
        rest -= product / weights;
        wide_remainders_.push_back({product % weights, i});
    }
    BERTH_ASSERT(negative_weights_ || (rest >= 0 && rest < std::ssize(wide_remainders_)),
                 "the fractions that are left are less than a unit each");
    hand_out_rest(rest, wide_remainders_, siblings);
}

template <class Number>
void WaterFilling::hand_out_rest(Wide rest,
                                 std::vector<Remainder<Number>>& remainders,
                                 std::span<Share> siblings) const {
    // With negative weights among the siblings, the parts can be more, or much less, than the
    // whole.
    const auto count =
        static_cast<std::size_t>(std::clamp<Wide>(rest, 0, static_cast<Wide>(remainders.size())));
    if (count < remainders.size()) {
        std::nth_element(remainders.begin(),
                         remainders.begin() + static_cast<std::ptrdiff_t>(count),
                         remainders.end(),
                         [](const Remainder<Number>& a, const Remainder<Number>& b) {
                             return a.value != b.value ? a.value > b.value : a.sibling < b.sibling;
                         });
    }
    for (std::size_t i = 0; i < count; ++i) {
        siblings[remainders[i].sibling].runtime += unit_;
    }
}

}  // namespace berth::core
