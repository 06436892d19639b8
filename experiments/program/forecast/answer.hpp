#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/forecast/check.hpp"
#include "experiments/program/forecast/forecast.hpp"

namespace berth::experiments {

/// A change of a job that was tried, with its starts in ascending order.
struct TriedChange {
    std::string what;
    std::vector<sim::SimTime> starts;
};

/// What `berth forecast` answers.
struct ForecastAnswer {
    const Past& past;
    sim::SimTime now{};
    std::vector<std::string> notes{};
    std::optional<Forecast> forecast{};
    std::optional<std::size_t> asked{};  ///< The index of the job that `--job` is about.
    std::vector<TriedChange> tried{};    ///< Its changes, the cheapest first.
    std::optional<ForecastCheck> check{};
};

/// The first change with which the median start is at least a tenth, and a minute, earlier; nothing
/// if there is none.
[[nodiscard]] const TriedChange* cheapest_change(const ForecastAnswer& answer);

[[nodiscard]] std::string forecast_text(const ForecastAnswer& answer);
/// In the form of docs/reference/forecast.md.
[[nodiscard]] nlohmann::ordered_json forecast_json(const ForecastAnswer& answer);

}  // namespace berth::experiments
