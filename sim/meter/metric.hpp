#pragma once

#include <optional>
#include <string>

namespace berth::sim {

/// One figure of a run; it has no value if the run had nothing to measure it on.
struct Metric {
    std::string name;
    std::optional<double> value{};
    /// A lower bound, in which jobs or pods that still wait or run when the run ends count with
    /// their time by then; nothing if there are none. A percentile has either this or a value.
    std::optional<double> at_least{};
    /// For a statistic of waits and the like: the share of its jobs or pods that never started.
    std::optional<double> never_started{};
    /// For a mean over a sample: the sample's standard deviation. It tells how far single values
    /// lie apart, not how certain the mean is.
    std::optional<double> spread{};
};

/// The share of a part in a whole; nothing if the whole is 0.
[[nodiscard]] inline std::optional<double> ratio(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace berth::sim
