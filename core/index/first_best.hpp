#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/huge_pages.hpp"

namespace berth::core {

/// Many values, and which is the first of the best: of the greatest by `Less`, as the top of a
/// std::priority_queue is; with std::greater<> of the least.
///
/// Shape: a tree of which each node has the best of eight values, which share a cache line. Upwards
///        a change ends where the best of eight stays what it was: where many values are equal,
///        mostly at once.
/// Cost:  set() and first() are O(log values), to the base of eight; nine bytes and a quarter a
///        value of eight.
template <class Value, class Less = std::less<>>
class FirstBest {
public:
    /// `count` times `value`. `worst` fills up the last eight: no value is worse.
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

    /// Has the processor fetch what set() changes first.
    [[gnu::always_inline]] void fetch(std::uint32_t at) const {
        __builtin_prefetch(values_.data() + at);
    }
    /// `value` is not worse than the worst.
    void set(std::uint32_t at, Value value) {
        Value before = values_[at];
        values_[at] = value;
        std::size_t place = at;
        for (std::size_t level = 1; level < levels_.size(); ++level) {
            place /= width;
            Value& best = values_[levels_[level] + place];  // of its eight
            const Value best_before = best;
            if (less_(best, value)) {
                best = value;
            } else if (!less_(before, best)) {
                best = best_of(levels_[level - 1] + place * width);  // what went was the best
            }
            if (!less_(best, best_before) && !less_(best_before, best)) {
                return;
            }
            before = best_before;
            value = best;
        }
    }

    /// Which of the best comes first.
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
    std::vector<std::size_t> levels_;  ///< Where each begins, from the values themselves upwards.
    std::vector<Value, HugePages<Value, cache_line>> values_;  ///< Of all levels, each in eights.
};

}  // namespace berth::core
