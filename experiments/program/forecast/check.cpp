#include "experiments/program/forecast/check.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <span>

#include "core/support/source.hpp"
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
            const ForecastSettings& settings)
        : spec_(spec), past_(past), scores_(scores), settings_(settings) {}

    [[nodiscard]] MomentResult look(SimTime now, std::uint64_t number) const {
        ForecastSettings settings = settings_;
        settings.threads = 1;
        settings.seed = sim::mix(settings_.seed, number);
        const Forecast forecast = forecast_at(spec_, past_, scores_, now, settings);
        settings.method = {ForecastMethod::RunTimes::limits, false, false};
        const Forecast limits = forecast_at(spec_, past_, scores_, now, settings);
        settings.method.run_times = ForecastMethod::RunTimes::at_limit;
        settings.replications = 1;
        const Forecast at_limit = forecast_at(spec_, past_, scores_, now, settings);
        MomentResult result;
        result.at = now;
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
};

/// Moments with at least five waiting jobs.
std::vector<SimTime> draw_moments(const Past& past,
                                  SimTime until,
                                  std::size_t count,
                                  std::uint64_t seed) {
    constexpr double begin = 0.08;
    constexpr std::ptrdiff_t waiting_min = 5;
    const sim::RandomSeries series(seed, "forecast/moment");
    const auto span = static_cast<double>((until - past.first()).count());
    std::vector<SimTime> moments;
    for (std::uint64_t i = 0; i < 1000 * count && moments.size() < count; ++i) {
        const double part = begin + (1 - begin) * series.uniform(i);
        const SimTime at = past.first() + SimTime(static_cast<std::int64_t>(part * span));
        const auto waiting =
            std::ranges::count_if(past.jobs(), [&](const PastJob& job) { return job.waits(at); });
        if (waiting >= waiting_min) {
            moments.push_back(at);
        }
    }
    return moments;
}

double covered_by_moment(std::span<const MomentResult* const> moments, std::size_t level) {
    double sum = 0;
    for (const MomentResult* moment : moments) {
        sum += static_cast<double>(moment->covered[level]) / static_cast<double>(moment->jobs);
    }
    return 100 * sum / static_cast<double>(moments.size());
}

/// Days are drawn with replacement, with all their moments.
Share share_of(const std::vector<MomentResult>& moments, std::size_t level, std::uint64_t seed) {
    std::map<std::int64_t, std::vector<const MomentResult*>> days;
    std::vector<const MomentResult*> all;
    for (const MomentResult& moment : moments) {
        days[moment.at / day].push_back(&moment);
        all.push_back(&moment);
    }
    std::vector<const std::vector<const MomentResult*>*> lists;
    for (const auto& [number, list] : days) {
        lists.push_back(&list);
    }
    constexpr std::size_t resamples = 1000;
    const sim::RandomSeries series(seed, "forecast/bootstrap");
    std::vector<double> shares;
    for (std::size_t resample = 0; resample < resamples; ++resample) {
        std::vector<const MomentResult*> drawn;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const double u = series.uniform(resample * lists.size() + i);
            const auto* list =
                lists[static_cast<std::size_t>(u * static_cast<double>(lists.size()))];
            drawn.insert(drawn.end(), list->begin(), list->end());
        }
        shares.push_back(covered_by_moment(drawn, level));
    }
    std::ranges::sort(shares);
    return {covered_by_moment(all, level),
            shares[resamples / 40],
            shares[resamples - 1 - resamples / 40]};
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
                              const ForecastSettings& settings) {
    const std::vector<SimTime> at = draw_moments(past, until, moments, settings.seed);
    std::vector<MomentResult> results(at.size());
    const Checker checker(spec, past, scores, settings);
    in_threads(
        settings.threads, at.size(), [&](std::size_t i) { results[i] = checker.look(at[i], i); });
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
