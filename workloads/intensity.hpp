#pragma once

#include <cstdint>
#include <optional>

#include "sim/clock/random.hpp"
#include "sim/clock/time.hpp"

namespace berth::workloads {

/// Arrivals follow the time of day: 1 + amplitude x cos(2 pi (t - peak) / period) times the
/// average.
struct Diurnal {
    sim::SimTime period{};
    double amplitude = 0;  ///< From 0 to 1.
    sim::SimTime peak{};   ///< The time of day when most arrive.
};

/// Now and then, arrivals come `factor` times as often. Both times are exponentially distributed.
struct Bursts {
    sim::SimTime every{};   ///< Mean time from the end of one burst to the next.
    sim::SimTime length{};  ///< Mean length of a burst.
    double factor = 1;
};

/// The rate of arrivals over time, as a multiple of the unmodified rate.
class Intensity {
public:
    /// `times` draws the lengths of bursts and of the times between them, with one number each.
    Intensity(std::optional<Diurnal> diurnal,
              std::optional<Bursts> bursts,
              const sim::RandomSeries& times)
        : diurnal_(diurnal), bursts_(bursts), times_(times) {}

    [[nodiscard]] bool varies() const { return diurnal_ || bursts_; }
    /// The highest value that it ever has.
    [[nodiscard]] double most() const;
    /// The value at `now`, which must not be before the times of earlier calls.
    [[nodiscard]] double at(sim::SimTime now);

private:
    std::optional<Diurnal> diurnal_;
    std::optional<Bursts> bursts_;
    sim::RandomSeries times_;
    std::uint64_t changes_drawn_ = 0;
    bool in_burst_ = true;     ///< True, so that the first change, at 0, begins the time before a
                               ///< burst.
    sim::SimTime changes_{0};  ///< When a burst begins or ends next.
};

}  // namespace berth::workloads
