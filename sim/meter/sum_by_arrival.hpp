#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::sim {

/// A sum over jobs that is added up in the order in which they arrived, regardless of the order in
/// which they ended: rounding depends on the order, and the order of arrival is that of the tables.
///
/// Cost:   O(log n) per value, 16 bytes for each value that is not 0.
/// Limits: the first million values are added in that order; the others as they come.
class SumByArrival {
public:
    void add(std::uint64_t arrival, double value);
    /// A place for a job whose value is added after those of all jobs without such a place.
    [[nodiscard]] static constexpr std::uint64_t behind(std::uint64_t arrival) {
        return arrival | std::uint64_t{1} << 63;
    }
    [[nodiscard]] double total() const;

private:
    static constexpr std::size_t values_max = 1'000'000;

    std::vector<std::pair<std::uint64_t, double>> values_;
    double sum_of_all_ = 0;  ///< Used once there are more than values_max values.
    bool is_full_ = false;
};

}  // namespace berth::sim
