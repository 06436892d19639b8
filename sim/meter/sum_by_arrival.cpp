#include "sim/meter/sum_by_arrival.hpp"

#include <algorithm>

namespace berth::sim {

void SumByArrival::add(std::uint64_t arrival, double value) {
    if (is_full_) {
        sum_of_all_ += value;
        return;
    }
    if (value != 0) {
        values_.emplace_back(arrival, value);
    }
    if (values_.size() > values_max) {
        sum_of_all_ = total();
        is_full_ = true;
        values_ = {};
    }
}

double SumByArrival::total() const {
    if (is_full_) {
        return sum_of_all_;
    }
    auto sorted = values_;
    // The values of one job stay in their order.
    std::ranges::stable_sort(sorted, {}, &std::pair<std::uint64_t, double>::first);
    double sum = 0;
    for (const auto& [arrival, value] : sorted) {
        sum += value;
    }
    return sum;
}

}  // namespace berth::sim
