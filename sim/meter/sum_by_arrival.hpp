#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::sim {

/// A sum over jobs that is added up in the order in which they arrived, whatever the order in which
/// they ended: rounding depends on the order, and that of arrival is the order of the tables.
///
/// Cost:   O(log n) a value, 16 bytes for each value that is not 0.
/// Limits: the first million values are added in that order; the others as they come.
class SumByArrival {
public:
    void add(std::uint64_t arrival, double value);
    /// The place of a job whose value is added after those of all jobs that are not behind.
    [[nodiscard]] static constexpr std::uint64_t behind(std::uint64_t arrival) {
        return arrival | std::uint64_t{1} << 63;
    }
    [[nodiscard]] double total() const;

private:
    static constexpr std::size_t values_max = 1'000'000;

    std::vector<std::pair<std::uint64_t, double>> values_;
    double sum_of_all_ = 0;  ///< Once there were more than values_max.
    bool is_full_ = false;
};

}  // namespace berth::sim
