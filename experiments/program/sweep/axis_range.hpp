#pragma once

#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The numbers of `{from: 0.1, to: 0.9, step: 0.1}` or `{from: 1, to: 1000, factor: 10}` as decimal
/// texts. `to` is included if a step leads there, and whole numbers stay whole. Durations and
/// amounts, as in `{from: 30s, to: 5m, step: 30s}`, are in the smallest of the given units.
/// Errors: recorded, also for a range that is endless, empty or has more than a million numbers.
[[nodiscard]] std::vector<std::string> range_texts(const core::Value& range,
                                                   core::Diagnostics& diagnostics);

}  // namespace berth::experiments
