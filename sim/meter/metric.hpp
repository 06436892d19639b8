#pragma once

#include <optional>
#include <string>

namespace berth::sim {

/// One figure of a run; nothing when the run had nothing to measure it on.
struct Metric {
    std::string name;
    std::optional<double> value{};
    /// What it is at least, counting those that still wait or run when the run ends as long as they
    /// did by then; nothing where there are none. A percentile has either this or a value.
    std::optional<double> at_least{};
    /// Of a statistic of waits and the like: which share of those it is about never started.
    std::optional<double> never_started{};
    /// Of a mean over a sample: the sample's standard deviation, which tells how far single values
    /// lie apart and not how sure the mean is.
    std::optional<double> spread{};
};

/// A part of a whole; nothing where there is no whole.
[[nodiscard]] inline std::optional<double> ratio(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace berth::sim
