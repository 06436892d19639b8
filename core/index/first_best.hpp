#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/huge_pages.hpp"

namespace berth::core {

/// Many values, and the position of the first of the best ones. The best value is the greatest by
/// `Less`, as for the top of a std::priority_queue; with std::greater<> it is the least.
///
/// Shape: a tree in which each node has the best of eight values, which share a cache line. A
///        change goes up only until the best of eight stays the same: where many values are equal,
///        this is mostly at once.
/// Cost:  set() and first() are O(log values), to the base of eight; nine and a quarter bytes for
///        each value of eight bytes.
template <class Value, class Less = std::less<>>
class FirstBest {
public:
    /// Begins with `count` copies of `value`. `worst` fills up the last eight: no value is worse.
    FirstBest(std::uint32_t count, Value value, Value worst) : count_(count) {
        BERTH_ASSERT(count > 0, "one of the values is the best");
        std::size_t length = count;
        while (true) {
            levels_.push_back(values_.size());
            values_.resize(values_.size() + length, value);
            values_.resize((values_.size() + width - 1) / width * width, worst);
            if (length <= width) {
                return;
            }
            length = (length + width - 1) / width;
        }
    }

    [[nodiscard]] std::uint32_t size() const { return count_; }
    [[nodiscard]] auto begin() const { return values_.begin(); }
    [[nodiscard]] auto end() const { return values_.begin() + count_; }
    [[nodiscard]] const Value& operator[](std::uint32_t at) const { return values_[at]; }

    /// Makes the processor fetch what set() changes first.
    [[gnu::always_inline]] void fetch(std::uint32_t at) const {
        __builtin_prefetch(values_.data() + at);
    }
    /// `value` must not be worse than `worst`.
    void set(std::uint32_t at, Value value) {
        Value before = values_[at];
        values_[at] = value;
        std::size_t place = at;
        for (std::size_t level = 1; level < levels_.size(); ++level) {
            place /= width;
            Value& best = values_[levels_[level] + place];  // the best of these eight
            const Value best_before = best;
            if (less_(best, value)) {
                best = value;
            } else if (!less_(before, best)) {
                // The replaced value was the best.
                best = best_of(levels_[level - 1] + place * width);
            }
            if (!less_(best, best_before) && !less_(best_before, best)) {
                return;
            }
            before = best_before;
            value = best;
        }
    }

    /// The first position that has the best value.
    [[nodiscard]] std::uint32_t first() const {
        const Value best = best_of(levels_.back());
        std::size_t place = 0;
        for (std::size_t level = levels_.size(); level-- > 0;) {
            place *= width;
            while (less_(values_[levels_[level] + place], best)) {
                ++place;
            }
        }
        BERTH_ASSERT(place < count_,
                     "no value is worse than the worst, which fills the last eight");
        return static_cast<std::uint32_t>(place);
    }

private:
    static constexpr std::size_t width = 8;
    static_assert(width * sizeof(Value) == cache_line);

    [[nodiscard]] Value best_of(std::size_t begin) const {
        Value best = values_[begin];
        for (std::size_t at = begin + 1; at < begin + width; ++at) {
            best = less_(best, values_[at]) ? values_[at] : best;
        }
        return best;
    }

    std::uint32_t count_;
    Less less_{};
    /// Where each level begins in values_, from the values themselves upwards.
    std::vector<std::size_t> levels_;
    /// The values of all levels, in groups of eight.
    std::vector<Value, HugePages<Value, cache_line>> values_;
};

}  // namespace berth::core
