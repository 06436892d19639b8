#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/forecast/dependence.hpp"
#include "experiments/program/forecast/past.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// How what is not known yet is drawn.
struct ForecastMethod {
    enum class RunTimes : std::uint8_t {
        learned,   ///< They are learned from the past, most from that of the user.
        pooled,    ///< They are learned from all of the past alike.
        limits,    ///< They are drawn evenly, up to the limit.
        at_limit,  ///< Each job ends at its limit.
    };
    RunTimes run_times = RunTimes::learned;
    bool dependent = true;  ///< Whether jobs of one user resemble each other.
    bool arrivals = true;   ///< Whether further jobs come, as on past days.
};

struct ForecastSettings {
    ForecastMethod method;
    std::uint32_t replications = 100;
    std::uint64_t seed = 1;
    sim::SimTime horizon{};  ///< No replication goes on for longer.
    unsigned threads = 1;
};

/// A waiting job in another form.
struct ChangedJob {
    std::size_t index = 0;  ///< Which job of the past it is.
    sim::Job job;
};

/// The forecast of one waiting job.
struct JobForecast {
    std::size_t job = 0;  ///< Its index in the past.
    /// How long from now until it starts, in ascending order, one for each replication; `never` if
    /// it is later than the horizon.
    std::vector<sim::SimTime> starts;
    std::uint32_t preempted = 0;  ///< Replications in which it loses its places before its end.
    std::string waits_for;        ///< What keeps it from starting now, in the scheduler's words.
};

/// What was known at the moment of a forecast.
struct ForecastBasis {
    std::size_t running = 0;
    std::size_t ended = 0;  ///< Jobs that had ended, from which run times are learned.
    /// How much jobs resemble each other; nothing if they are drawn independently.
    std::optional<Dependence> dependence;
    std::size_t days = 0;                  ///< Past days of which arrivals are drawn.
    std::vector<std::string> new_users{};  ///< Users of waiting jobs of whom no job had ended.
    double largest_share = 0;  ///< The largest share of the waiting jobs that one user has.
    bool learns = true;        ///< Whether run times are learned, and not drawn up to limits.
    bool can_preempt = false;  ///< Whether jobs may lose their places to others.
};

struct Forecast {
    ForecastBasis basis;
    std::vector<JobForecast> jobs;  ///< The waiting jobs, in order of submission.
};

/// Forecasts when each job starts that waits at `now`, by replications of the experiment's own
/// scheduler from then on. The result is the same for any number of threads. With `changed`, all
/// draws are those without it.
///
/// Returns: a result without meaning if `control` was stopped.
/// Errors:  core::InputError if run times are to be learned and no job has ended by then.
[[nodiscard]] Forecast forecast_at(const ExperimentSpec& spec,
                                   const Past& past,
                                   const PastScores& scores,
                                   sim::SimTime now,
                                   const ForecastSettings& settings,
                                   const sim::RunControl& control,
                                   const ChangedJob* changed = nullptr);

/// The start below which a job starts with this probability in percent, as a time from now;
/// `never`: later than the horizon. Of R draws in order, the i-th is the quantile i/(R+1).
[[nodiscard]] sim::SimTime quantile_of(const std::vector<sim::SimTime>& starts, double percent);

}  // namespace berth::experiments
