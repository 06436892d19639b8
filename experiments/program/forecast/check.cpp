#include "experiments/program/forecast/check.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "experiments/program/forecast/past_moments.hpp"
#include "experiments/program/results/day_bootstrap.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

constexpr std::array levels{50.0, 80.0, 95.0};
constexpr SimTime day = std::chrono::hours(24);

/// Sums over the jobs of one moment.
struct MomentResult {
    SimTime at{};
    std::size_t jobs = 0;
    std::array<std::size_t, levels.size()> covered{};
    double error = 0;
    double error_of_limits = 0;
    double width = 0;
    double to_limit = 0;
    double bias = 0;
    std::map<std::string, std::pair<std::size_t, std::size_t>>
        groups;  ///< The number of jobs, and of those that were covered.
};

std::optional<SimTime> start_after(const PastJob& job, SimTime now) {
    std::optional<SimTime> first;
    for (const PastPlace& place : job.places) {
        if (place.start > now && (!first || place.start < *first)) {
            first = place.start;
        }
    }
    return first ? std::optional(*first - now) : std::nullopt;
}

bool covers(const std::vector<SimTime>& starts, double level, SimTime came) {
    constexpr SimTime tolerance = std::chrono::seconds(1);
    const SimTime low = quantile_of(starts, 50 - level / 2);
    const SimTime high = quantile_of(starts, 50 + level / 2);
    return low <= came + tolerance && came <= (high == sim::never ? high : high + tolerance);
}

/// A draw beyond the horizon counts as the horizon.
std::vector<SimTime> within(std::vector<SimTime> starts, SimTime horizon) {
    for (SimTime& start : starts) {
        start = std::min(start, horizon);
    }
    return starts;
}

class Checker {
public:
    Checker(const ExperimentSpec& spec,
            const Past& past,
            const PastScores& scores,
            const ForecastSettings& settings,
            const sim::RunControl& control)
        : spec_(spec), past_(past), scores_(scores), settings_(settings), control_(control) {}

    [[nodiscard]] MomentResult look(SimTime now, std::uint64_t number) const {
        ForecastSettings settings = settings_;
        settings.threads = 1;
        settings.seed = sim::mix(settings_.seed, number);
        const Forecast forecast = forecast_at(spec_, past_, scores_, now, settings, control_);
        settings.method = {ForecastMethod::RunTimes::limits, false, false};
        const Forecast limits = forecast_at(spec_, past_, scores_, now, settings, control_);
        settings.method.run_times = ForecastMethod::RunTimes::at_limit;
        settings.replications = 1;
        const Forecast at_limit = forecast_at(spec_, past_, scores_, now, settings, control_);
        MomentResult result;
        result.at = now;
        if (control_.stop) {
            return result;
        }
        for (std::size_t i = 0; i < forecast.jobs.size(); ++i) {
            const PastJob& job = past_.jobs()[forecast.jobs[i].job];
            if (const auto came = start_after(job, now)) {
                add(forecast, i, *came, result);
                result.error_of_limits +=
                    ranked_score(within(limits.jobs[i].starts, settings_.horizon), *came);
                result.to_limit +=
                    sim::seconds(within(at_limit.jobs[i].starts, settings_.horizon).front());
            }
        }
        return result;
    }

private:
    void add(const Forecast& forecast, std::size_t i, SimTime came, MomentResult& result) const {
        const std::vector<SimTime>& starts = forecast.jobs[i].starts;
        const std::vector<SimTime> cut = within(starts, settings_.horizon);
        ++result.jobs;
        for (std::size_t level = 0; level < levels.size(); ++level) {
            result.covered[level] += covers(starts, levels[level], came) ? 1 : 0;
        }
        result.error += ranked_score(cut, came);
        result.width += sim::seconds(quantile_of(cut, 90) - quantile_of(cut, 10));
        result.bias += sim::seconds(quantile_of(cut, 50) - came);
        const auto count = [&](const std::string& group) {
            auto& [jobs, covered] = result.groups[group];
            ++jobs;
            covered += covers(starts, 80, came) ? 1 : 0;
        };
        const PastJob& job = past_.jobs()[forecast.jobs[i].job];
        const auto& fresh = forecast.basis.new_users;
        if (std::ranges::find(fresh, past_.user(job.user)) != fresh.end()) {
            count("users without a job that had ended");
        }
        const std::size_t waiting = forecast.jobs.size();
        count(waiting <= 30    ? "up to 30 waiting"
              : waiting <= 100 ? "31 to 100 waiting"
                               : "more than 100 waiting");
        if (forecast.basis.largest_share > 0.5) {
            count("most of the queue of one user");
        }
    }

    const ExperimentSpec& spec_;
    const Past& past_;
    const PastScores& scores_;
    const ForecastSettings& settings_;
    const sim::RunControl& control_;
};

/// The shares of jobs that were covered at the moments of one day.
struct DayShares {
    double sum = 0;
    double moments = 0;

    DayShares& operator+=(const DayShares& other) {
        sum += other.sum;
        moments += other.moments;
        return *this;
    }
    [[nodiscard]] double percent() const { return 100 * sum / moments; }
};

Share share_of(const std::vector<MomentResult>& moments, std::size_t level, std::uint64_t seed) {
    std::map<std::int64_t, DayShares> by_day;
    DayShares all;
    for (const MomentResult& moment : moments) {
        const DayShares one{
            static_cast<double>(moment.covered[level]) / static_cast<double>(moment.jobs), 1};
        by_day[moment.at / day] += one;
        all += one;
    }
    std::vector<DayShares> days;
    for (const auto& [number, shares] : by_day) {
        days.push_back(shares);
    }
    std::vector<double> drawn;
    for (const DayShares& sums : bootstrap_days(days, seed, "forecast/bootstrap")) {
        drawn.push_back(sums.percent());
    }
    const DayInterval interval = interval_of(std::move(drawn));
    return {all.percent(), interval.low, interval.high};
}

}  // namespace

double ranked_score(const std::vector<SimTime>& draws, SimTime came) {
    const auto count = static_cast<double>(draws.size());
    double apart = 0;   // sum of |draw - came|
    double spread = 0;  // sum over pairs of |draw - draw|
    for (std::size_t i = 0; i < draws.size(); ++i) {
        const double draw = sim::seconds(draws[i]);
        apart += std::max(draw - sim::seconds(came), sim::seconds(came) - draw);
        spread += draw * (2 * static_cast<double>(i) + 1 - count);
    }
    return apart / count - spread / (count * count);
}

ForecastCheck check_forecasts(const ExperimentSpec& spec,
                              const Past& past,
                              const PastScores& scores,
                              SimTime until,
                              std::size_t moments,
                              const ForecastSettings& settings,
                              const sim::RunControl& control) {
    const std::vector<SimTime> at = draw_moments(past, until, moments, settings.seed);
    std::vector<MomentResult> results(at.size());
    const Checker checker(spec, past, scores, settings, control);
    in_threads(settings.threads, at.size(), [&](std::size_t i) {
        if (!control.stop) {
            results[i] = checker.look(at[i], i);
        }
    });
    std::erase_if(results, [](const MomentResult& result) { return result.jobs == 0; });
    ForecastCheck check;
    std::map<std::string, std::pair<std::size_t, std::size_t>> groups;
    std::map<std::int64_t, int> days;
    std::array<std::size_t, levels.size()> covered{};
    for (const MomentResult& result : results) {
        ++days[result.at / day];
        check.jobs += result.jobs;
        check.error += result.error;
        check.error_of_limits += result.error_of_limits;
        check.width += result.width;
        check.to_limit += result.to_limit;
        check.bias += result.bias;
        for (std::size_t level = 0; level < levels.size(); ++level) {
            covered[level] += result.covered[level];
        }
        for (const auto& [name, counts] : result.groups) {
            groups[name].first += counts.first;
            groups[name].second += counts.second;
        }
    }
    check.moments = results.size();
    check.days = days.size();
    if (results.empty()) {
        return check;
    }
    const auto jobs = static_cast<double>(check.jobs);
    for (double* sum :
         {&check.error, &check.error_of_limits, &check.width, &check.to_limit, &check.bias}) {
        *sum /= jobs;
    }
    for (std::size_t level = 0; level < levels.size(); ++level) {
        check.intervals.push_back({levels[level],
                                   share_of(results, level, settings.seed),
                                   100 * static_cast<double>(covered[level]) / jobs});
    }
    for (const auto& [name, counts] : groups) {
        check.groups.push_back(
            {name,
             counts.first,
             100 * static_cast<double>(counts.second) / static_cast<double>(counts.first)});
    }
    return check;
}

}  // namespace berth::experiments
