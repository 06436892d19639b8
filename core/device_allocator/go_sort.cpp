#include "core/device_allocator/go_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace berth::core {
namespace {

class GoSort {
public:
    GoSort(std::span<std::size_t> order,
           const std::function<bool(std::size_t, std::size_t)>& compare)
        : order_(order), compare_(compare) {}

    void sort(std::size_t a, std::size_t b, int limit) {
        bool was_balanced = true;
        bool was_partitioned = true;
        for (;;) {
            const std::size_t n = b - a;
            if (n <= insertion_max) {
                insertion_sort(a, b);
                return;
            }
            if (limit == 0) {
                heap_sort(a, b);
                return;
            }
            if (!was_balanced) {
                break_patterns(a, b);
                --limit;
            }
            Pivot pivot = choose_pivot(a, b);
            if (pivot.hint == Hint::decreasing) {
                reverse(a, b);
                pivot = {b - 1 - (pivot.at - a), Hint::increasing};
            }
            if (was_balanced && was_partitioned && pivot.hint == Hint::increasing &&
                nearly_sorted(a, b)) {
                return;
            }
            if (a > 0 && !less(a - 1, pivot.at)) {
                a = partition_equal(a, b, pivot.at);
                continue;
            }
            const auto [middle, already] = partition(a, b, pivot.at);
            was_partitioned = already;
            const std::size_t left = middle - a;
            const std::size_t right = b - middle;
            was_balanced = std::min(left, right) >= n / 8;
            if (left < right) {
                sort(a, middle, limit);
                a = middle + 1;
            } else {
                sort(middle + 1, b, limit);
                b = middle;
            }
        }
    }

private:
    static constexpr std::size_t insertion_max = 12;
    enum class Hint : std::uint8_t { unknown, increasing, decreasing };
    struct Pivot {
        std::size_t at = 0;
        Hint hint = Hint::unknown;
    };

    bool less(std::size_t i, std::size_t j) const { return compare_(order_[i], order_[j]); }
    void swap(std::size_t i, std::size_t j) { std::swap(order_[i], order_[j]); }

    void insertion_sort(std::size_t a, std::size_t b) {
        for (std::size_t i = a + 1; i < b; ++i) {
            for (std::size_t j = i; j > a && less(j, j - 1); --j) {
                swap(j, j - 1);
            }
        }
    }

    void sift_down(std::size_t root, std::size_t end, std::size_t first) {
        for (std::size_t child = 2 * root + 1; child < end; child = 2 * root + 1) {
            if (child + 1 < end && less(first + child, first + child + 1)) {
                ++child;
            }
            if (!less(first + root, first + child)) {
                return;
            }
            swap(first + root, first + child);
            root = child;
        }
    }

    void heap_sort(std::size_t a, std::size_t b) {
        const std::size_t n = b - a;
        for (std::size_t i = (n - 1) / 2 + 1; i-- > 0;) {
            sift_down(i, n, a);
        }
        for (std::size_t i = n; i-- > 0;) {
            swap(a, a + i);
            sift_down(0, i, a);
        }
    }

    std::pair<std::size_t, bool> partition(std::size_t a, std::size_t b, std::size_t pivot) {
        swap(a, pivot);
        std::size_t i = a + 1;
        std::size_t j = b - 1;
        const auto advance = [&] {
            while (i <= j && less(i, a)) {
                ++i;
            }
            while (i <= j && !less(j, a)) {
                --j;
            }
        };
        advance();
        const bool already = i > j;
        while (i <= j) {
            swap(i++, j--);
            advance();
        }
        swap(j, a);
        return {j, already};
    }

    /// Moves the values that equal the pivot to the front. Returns where the greater ones begin.
    std::size_t partition_equal(std::size_t a, std::size_t b, std::size_t pivot) {
        swap(a, pivot);
        std::size_t i = a + 1;
        std::size_t j = b - 1;
        for (;;) {
            while (i <= j && !less(a, i)) {
                ++i;
            }
            while (i <= j && less(a, j)) {
                --j;
            }
            if (i > j) {
                return i;
            }
            swap(i++, j--);
        }
    }

    /// Repairs a few places. Returns true if everything is in order then.
    bool nearly_sorted(std::size_t a, std::size_t b) {
        constexpr int repairs_max = 5;
        constexpr std::size_t worth_repairing = 50;
        std::size_t i = a + 1;
        for (int repair = 0; repair < repairs_max; ++repair) {
            while (i < b && !less(i, i - 1)) {
                ++i;
            }
            if (i == b) {
                return true;
            }
            if (b - a < worth_repairing) {
                return false;
            }
            swap(i, i - 1);
            for (std::size_t j = i - 1; i - a >= 2 && j > 0 && less(j, j - 1); --j) {
                swap(j, j - 1);
            }
            for (std::size_t j = i + 1; b - i >= 2 && j < b && less(j, j - 1); ++j) {
                swap(j, j - 1);
            }
        }
        return false;
    }

    void break_patterns(std::size_t a, std::size_t b) {
        const std::size_t n = b - a;
        std::uint64_t random = n;
        const std::uint64_t modulus = std::uint64_t{1} << std::bit_width(n);
        const std::size_t middle = a + n / 4 * 2 - 1;
        for (std::size_t i = 0; i < 3; ++i) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            std::size_t other = random & (modulus - 1);
            other = other >= n ? other - n : other;
            swap(middle + i, a + other);
        }
    }

    Pivot choose_pivot(std::size_t a, std::size_t b) {
        constexpr int swaps_max = 12;
        const std::size_t n = b - a;
        std::size_t i = a + n / 4;
        std::size_t j = a + n / 4 * 2;
        std::size_t k = a + n / 4 * 3;
        int swaps = 0;
        const auto order = [&](std::size_t& x, std::size_t& y) {
            if (less(y, x)) {
                ++swaps;
                std::swap(x, y);
            }
        };
        const auto median = [&](std::size_t x, std::size_t y, std::size_t z) {
            order(x, y);
            order(y, z);
            order(x, y);
            return y;
        };
        if (n >= 50) {
            i = median(i - 1, i, i + 1);
            j = median(j - 1, j, j + 1);
            k = median(k - 1, k, k + 1);
        }
        j = median(i, j, k);
        return {j,
                swaps == 0           ? Hint::increasing
                : swaps == swaps_max ? Hint::decreasing
                                     : Hint::unknown};
    }

    void reverse(std::size_t a, std::size_t b) {
        for (; b - a >= 2; ++a, --b) {
            swap(a, b - 1);
        }
    }

    std::span<std::size_t> order_;
    const std::function<bool(std::size_t, std::size_t)>& compare_;
};

}  // namespace

void go_sort(std::span<std::size_t> order,
             const std::function<bool(std::size_t, std::size_t)>& less) {
    GoSort(order, less).sort(0, order.size(), static_cast<int>(std::bit_width(order.size())));
}

}  // namespace berth::core
