#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace berth::core {

/// Sorts positions as Go's sort.Slice does, which is not stable: the published program takes the
/// first of equals, and which that is follows from this algorithm. `less(a, b)` compares two
/// values of `order`. Up to 12 values stay in order among equals.
///
/// Source: pattern-defeating quicksort (Peters 2021) with the constants of Go 1.19's package sort.
void go_sort(std::span<std::size_t> order,
             const std::function<bool(std::size_t, std::size_t)>& less);

}  // namespace berth::core
