#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/forecast/answer.hpp"
#include "experiments/program/forecast/asked_state.hpp"
#include "experiments/program/forecast/forecast.hpp"
#include "sim/clock/time.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What `berth forecast` is asked.
struct ForecastQuestion {
    StateArgument state;
    std::optional<sim::SimTime> at{};      ///< Of a run: the moment from which to look ahead.
    std::optional<std::string> job{};      ///< A file with a proposed job, or a job that waits.
    std::optional<TraceOrigin> history{};  ///< The jobs of the past, for a state.
    std::size_t check = 0;                 ///< How many past moments are forecast, too.
    ForecastSettings settings;
};

/// Answers it. The answer has no meaning if `control` was stopped.
/// Errors: core::InputError for what cannot be read, and for parts that do not go together.
[[nodiscard]] ForecastAnswer ask_forecast(const ForecastQuestion& question,
                                          sim::RunControl& control);

}  // namespace berth::experiments
