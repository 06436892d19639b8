#include "experiments/program/run/short_run_warning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "experiments/program/run/summary.hpp"

namespace berth::experiments {
namespace {

/// With fewer the deviation of their means is itself hardly known.
constexpr std::size_t replications_min = 5;
/// So many independent waits of each replication have to lie beyond a percentile.
constexpr double beyond_min = 3;

const sim::Metric* find(const std::vector<sim::Metric>& metrics, std::string_view name) {
    const auto at = std::ranges::find(metrics, name, &sim::Metric::name);
    return at != metrics.end() && at->value ? &*at : nullptr;
}

/// How many independent waits have a mean that varies as much as those of the replications do;
/// nothing where nothing varies.
std::optional<double> independent_waits(std::span<const std::vector<sim::Metric>> replications) {
    std::vector<double> means;
    double squares = 0;
    for (const auto& metrics : replications) {
        const sim::Metric* mean = find(metrics, "job_wait_s_mean");
        if (mean == nullptr || !mean->spread) {
            return std::nullopt;
        }
        means.push_back(*mean->value);
        squares += *mean->spread * *mean->spread;
    }
    const double deviation = statistics_of(means).sd;
    if (deviation <= 0 || squares <= 0) {
        return std::nullopt;
    }
    return squares / static_cast<double>(means.size()) / (deviation * deviation);
}

bool varies(std::span<const std::vector<sim::Metric>> replications, std::string_view metric) {
    const sim::Metric* first = find(replications.front(), metric);
    return first != nullptr && std::ranges::any_of(replications, [&](const auto& metrics) {
               const sim::Metric* one = find(metrics, metric);
               return one != nullptr && *one->value != *first->value;
           });
}

}  // namespace

std::optional<std::string> short_run_warning(std::span<const std::vector<sim::Metric>> replications,
                                             int percent) {
    const std::string metric = fmt::format("job_wait_s_p{}", percent);
    if (replications.size() < replications_min || !varies(replications, metric)) {
        return std::nullopt;
    }
    const std::optional<double> waits = independent_waits(replications);
    const double needed = beyond_min / (1 - percent / 100.0);
    if (!waits || *waits >= needed) {
        return std::nullopt;
    }
    const double worth = std::max(*waits, 1.0);
    return fmt::format(
        "short: a replication has about {:.0f} independent waits, and {} needs "
        "{:.0f}, so it is too low and its interval too narrow: make the run "
        "{:.0f} times as long, or use a lower percentile",
        worth,
        metric,
        needed,
        std::ceil(needed / worth));
}

}  // namespace berth::experiments
