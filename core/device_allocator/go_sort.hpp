#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace berth::core {

/// Sorts positions in the same way as Go's sort.Slice, which is not stable. The published program
/// takes the first of equal values, and this algorithm determines which one that is. `less(a, b)`
/// compares two values of `order`. Up to 12 values keep their order if they are equal.
///
/// Source: pattern-defeating quicksort (Peters 2021) with the constants of Go 1.19's package sort.
void go_sort(std::span<std::size_t> order,
             const std::function<bool(std::size_t, std::size_t)>& less);

}  // namespace berth::core
