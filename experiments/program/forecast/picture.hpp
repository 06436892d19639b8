#pragma once

#include "experiments/program/forecast/answer.hpp"
#include "experiments/program/plot/drawing.hpp"

namespace berth::experiments {

/// When each waiting job starts and, for a job in question, when each form of it would start: fans
/// as on the page, each with a row of the table.
/// Errors: core::InputError for an answer without starts, which only looks at past moments.
[[nodiscard]] report::Drawing starts_drawing(const ForecastAnswer& answer);

}  // namespace berth::experiments
