#include "experiments/program/results/day_bootstrap.hpp"

#include <algorithm>
#include <utility>

#include "experiments/program/results/statistics.hpp"

namespace berth::experiments {

DayInterval interval_of(std::vector<double> results) {
    std::ranges::sort(results);
    return {report::quantile(results, 0.025), report::quantile(results, 0.975)};
}

}  // namespace berth::experiments
