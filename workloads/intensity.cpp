#include "workloads/intensity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/support/rounded_math.hpp"

namespace berth::workloads {
namespace {

double of_day(const Diurnal& diurnal, sim::SimTime now) {
    const sim::SimTime since_peak = (now - diurnal.peak % diurnal.period) % diurnal.period;
    const double turns = sim::seconds(since_peak) / sim::seconds(diurnal.period);
    return 1 + diurnal.amplitude * core::rounded_cos(2 * std::numbers::pi * turns);
}

/// At least one nanosecond, and limited to what SimTime can hold from `now` on.
sim::SimTime exponential(sim::SimTime mean, sim::SimTime now, double u) {
    const double drawn = -static_cast<double>(mean.count()) * core::rounded_log1p(-u);
    const auto room = static_cast<double>((sim::never - now).count());
    return drawn < room ? sim::SimTime(std::max<std::int64_t>(1, std::llround(drawn)))
                        : sim::never - now;
}

}  // namespace

double Intensity::most() const {
    return (diurnal_ ? 1 + diurnal_->amplitude : 1) *
           (bursts_ ? std::max(1.0, bursts_->factor) : 1);
}

double Intensity::at(sim::SimTime now) {
    const double intensity = diurnal_ ? of_day(*diurnal_, now) : 1;
    if (!bursts_) {
        return intensity;
    }
    while (changes_ <= now) {
        in_burst_ = !in_burst_;
        const double u = times_.uniform(changes_drawn_++);
        changes_ += exponential(in_burst_ ? bursts_->length : bursts_->every, changes_, u);
    }
    return in_burst_ ? intensity * bursts_->factor : intensity;
}

}  // namespace berth::workloads
