#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/forecast/check.hpp"
#include "experiments/program/forecast/forecast.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::experiments {

/// A change of a job that was tried, with its starts in ascending order.
struct TriedChange {
    std::string what;
    std::vector<sim::SimTime> starts;
};

/// What `berth forecast` answers.
struct ForecastAnswer {
    std::shared_ptr<const Past> past;
    std::string name{};  ///< The name of the experiment.
    sim::SimTime now{};
    std::vector<std::string> notes{};
    std::vector<std::string> warnings{};  ///< What reading the state found, one line each.
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
[[nodiscard]] report::Is<"Forecast"> forecast_json(const ForecastAnswer& answer);
/// A page of it, which is complete in itself.
[[nodiscard]] std::string forecast_page(const ForecastAnswer& answer);

}  // namespace berth::experiments
