#include "experiments/program/calibrate/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/support/assert.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::experiments {
namespace {

/// What a day contributes to the means.
struct DaySums {
    double jobs = 0;
    double started = 0;
    double recorded = 0;
    double simulated = 0;
    double near = 0;

    DaySums& operator+=(const DaySums& other) {
        jobs += other.jobs;
        started += other.started;
        recorded += other.recorded;
        simulated += other.simulated;
        near += other.near;
        return *this;
    }
    /// The bias, if any job waited in the recording.
    [[nodiscard]] std::optional<double> bias() const {
        return recorded > 0 ? std::optional(simulated / recorded - 1) : std::nullopt;
    }
};

bool is_near(const PairedJob& job, int seconds) {
    return job.start && std::chrono::abs(job.late()) <= std::chrono::seconds(seconds);
}

std::vector<DaySums> sums_by_day(const std::vector<const PairedJob*>& jobs) {
    std::map<std::int64_t, DaySums> days;
    for (const PairedJob* job : jobs) {
        DaySums& sums = days[job->day];
        sums.jobs += 1;
        sums.near += is_near(*job, told_nearness_s[1]) ? 1 : 0;
        if (job->start) {
            sums.started += 1;
            sums.recorded += sim::seconds(job->recorded_wait());
            sums.simulated += sim::seconds(job->simulated_wait());
        }
    }
    std::vector<DaySums> out;
    for (const auto& [day, sums] : days) {
        out.push_back(sums);
    }
    return out;
}

/// Sets the intervals of the bias and of the share within ten minutes.
void set_intervals(const std::vector<DaySums>& days, std::uint64_t seed, Agreement& agreement) {
    if (days.size() < days_min) {
        return;
    }
    std::vector<double> biases;
    std::vector<double> shares;
    for (const DaySums& sums : bootstrap_days(days, seed, "calibrate/days")) {
        shares.push_back(sums.near / sums.jobs);
        if (const auto bias = sums.bias()) {
            biases.push_back(*bias);
        }
    }
    // If some draws have no recorded wait at all, the ratio has no interval.
    if (biases.size() == shares.size()) {
        agreement.bias_interval = interval_of(std::move(biases));
    }
    agreement.within_interval = interval_of(std::move(shares));
}

/// The rank of each value, from 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(values[i], i); });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
            ++last;
        }
        for (std::size_t i = first; i <= last; ++i) {
            ranks[order[i]] = static_cast<double>(first + last) / 2 + 1;
        }
        first = last + 1;
    }
    return ranks;
}

std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double mean_a = report::spread_of(a).mean;
    const double mean_b = report::spread_of(b).mean;
    double both = 0;
    double of_a = 0;
    double of_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean_a) * (b[i] - mean_b);
        of_a += (a[i] - mean_a) * (a[i] - mean_a);
        of_b += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return of_a > 0 && of_b > 0 ? std::optional(both / std::sqrt(of_a * of_b)) : std::nullopt;
}

void compare_distributions(std::vector<double> recorded,
                           std::vector<double> simulated,
                           Agreement& agreement) {
    if (recorded.empty()) {
        return;
    }
    agreement.rank_correlation = correlation(ranks_of(recorded), ranks_of(simulated));
    std::ranges::sort(recorded);
    std::ranges::sort(simulated);
    for (std::size_t i = 0; i < told_quantiles.size(); ++i) {
        const double share = told_quantiles[i] / 100.0;
        agreement.recorded_quantiles[i] = report::quantile(recorded, share);
        agreement.simulated_quantiles[i] = report::quantile(simulated, share);
    }
}

}  // namespace

Agreement compare_waits(const std::string& label,
                        const std::vector<const PairedJob*>& jobs,
                        std::uint64_t seed) {
    BERTH_ASSERT(!jobs.empty(), "waits of some job are compared");
    Agreement agreement;
    agreement.label = label;
    std::vector<double> recorded;
    std::vector<double> simulated;
    for (const PairedJob* job : jobs) {
        if (job->start) {
            recorded.push_back(sim::seconds(job->recorded_wait()));
            simulated.push_back(sim::seconds(job->simulated_wait()));
        }
        for (std::size_t i = 0; i < told_nearness_s.size(); ++i) {
            agreement.within[i] += is_near(*job, told_nearness_s[i]) ? 1 : 0;
        }
    }
    for (double& share : agreement.within) {
        share /= static_cast<double>(jobs.size());
    }
    agreement.jobs = recorded.size();
    agreement.unstarted = jobs.size() - recorded.size();
    const std::vector<DaySums> days = sums_by_day(jobs);
    DaySums all;
    for (const DaySums& day : days) {
        all += day;
    }
    agreement.bias = all.bias();
    if (all.started > 0) {
        agreement.recorded_mean = all.recorded / all.started;
        agreement.simulated_mean = all.simulated / all.started;
    }
    set_intervals(days, seed, agreement);
    compare_distributions(std::move(recorded), std::move(simulated), agreement);
    return agreement;
}

std::vector<Agreement> compare_by(CalibrationTrait trait,
                                  const std::vector<PairedJob>& jobs,
                                  std::uint64_t seed) {
    const auto index = static_cast<std::size_t>(trait);
    std::map<std::string, std::vector<const PairedJob*>> groups;
    for (const PairedJob& job : jobs) {
        if (!job.labels[index].empty()) {
            groups[job.labels[index]].push_back(&job);
        }
    }
    if (groups.empty() || groups.begin()->second.size() == jobs.size()) {
        return {};
    }
    std::vector<const std::pair<const std::string, std::vector<const PairedJob*>>*> order;
    for (const auto& group : groups) {
        order.push_back(&group);
    }
    if (trait == CalibrationTrait::day) {
        std::ranges::stable_sort(
            order, {}, [](const auto* group) { return group->second.front()->day; });
    } else {
        std::ranges::stable_sort(
            order, std::ranges::greater(), [](const auto* group) { return group->second.size(); });
    }
    std::vector<Agreement> out;
    for (const auto* group : order) {
        out.push_back(compare_waits(group->first, group->second, seed));
    }
    return out;
}

std::string whole_percent(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace berth::experiments
