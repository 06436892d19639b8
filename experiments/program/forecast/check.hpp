#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/forecast/forecast.hpp"

namespace berth::experiments {

/// A part of all, in percent, with its 95 % interval by a bootstrap over days.
struct Share {
    double percent = 0;
    double least = 0;
    double most = 0;
};

/// The fewest replications whose intervals of 95 % have draws beyond both ends.
inline constexpr std::int64_t checked_replications_min = 39;

/// How forecasts at past moments compare with what came.
struct ForecastCheck {
    struct Interval {
        double level = 0;  ///< The level of the intervals, in percent.
        /// The share of jobs whose start was in the interval; moments weigh the same.
        Share by_moment;
        double by_job = 0;
    };
    std::size_t moments = 0;
    std::size_t days = 0;  ///< On how many days these moments lie.
    std::size_t jobs = 0;
    std::vector<Interval> intervals;  ///< The intervals of 50, 80 and 95 %.
    /// Means over all jobs, in seconds. `error`: the CRPS of the forecast, and of limits alone;
    /// `width`: of the 80 % interval; `to_limit`: from now to the start if all jobs run to their
    /// limits.
    double error = 0;
    double error_of_limits = 0;
    double width = 0;
    double to_limit = 0;
    double bias = 0;  ///< Mean of forecast median minus start.
    /// Coverage of 80 % by the length of the queue and by what is known, in percent, with counts.
    struct Group {
        std::string name;
        std::size_t jobs = 0;
        double covered = 0;
    };
    std::vector<Group> groups;
};

/// Forecasts that many past moments, those of draw_moments(). A result has no moments if there are
/// none, and no meaning if `control` was stopped.
[[nodiscard]] ForecastCheck check_forecasts(const ExperimentSpec& spec,
                                            const Past& past,
                                            const PastScores& scores,
                                            sim::SimTime until,
                                            std::size_t moments,
                                            const ForecastSettings& settings,
                                            const sim::RunControl& control);

/// The continuous ranked probability score of draws in ascending order, in seconds.
[[nodiscard]] double ranked_score(const std::vector<sim::SimTime>& draws, sim::SimTime came);

}  // namespace berth::experiments
