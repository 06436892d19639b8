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
    sim::SimTime peak{};   ///< When most arrive.
};

/// Now and then arrivals come `factor` times as often; times are exponentially distributed.
struct Bursts {
    sim::SimTime every{};   ///< From the end of one to the next, on average.
    sim::SimTime length{};  ///< On average.
    double factor = 1;
};

/// The rate of arrivals over time, as a multiple of the rate without it.
class Intensity {
public:
    /// `times` draws how long bursts and the times between them last, one number each.
    Intensity(std::optional<Diurnal> diurnal,
              std::optional<Bursts> bursts,
              const sim::RandomSeries& times)
        : diurnal_(diurnal), bursts_(bursts), times_(times) {}

    [[nodiscard]] bool varies() const { return diurnal_ || bursts_; }
    /// The most it ever is.
    [[nodiscard]] double most() const;
    /// At a time that is not before those asked about so far.
    [[nodiscard]] double at(sim::SimTime now);

private:
    std::optional<Diurnal> diurnal_;
    std::optional<Bursts> bursts_;
    sim::RandomSeries times_;
    std::uint64_t changes_drawn_ = 0;
    bool in_burst_ = true;     ///< So that the first change, at 0, begins the time before a burst.
    sim::SimTime changes_{0};  ///< When a burst begins or ends next.
};

}  // namespace berth::workloads
