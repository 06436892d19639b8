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

/// How forecasts at past moments compare with what came.
struct ForecastCheck {
    struct Interval {
        double level = 0;  ///< The level of the intervals, in percent.
        Share
            by_moment;  ///< The share of jobs whose start was in the interval; moments weigh the same.
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

/// Forecasts `moments` past moments drawn from those with at least five waiting jobs, between the
/// first 8 % of the past and `until`.
/// Errors: core::InputError if there are no such moments.
[[nodiscard]] ForecastCheck check_forecasts(const ExperimentSpec& spec,
                                            const Past& past,
                                            const PastScores& scores,
                                            sim::SimTime until,
                                            std::size_t moments,
                                            const ForecastSettings& settings);

/// The continuous ranked probability score of draws in ascending order, in seconds.
[[nodiscard]] double ranked_score(const std::vector<sim::SimTime>& draws, sim::SimTime came);

}  // namespace berth::experiments
