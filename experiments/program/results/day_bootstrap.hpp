#pragma once

#include <boost/random/uniform_int_distribution.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/clock/random.hpp"

namespace berth::experiments {

/// The two ends of a 95 % interval.
struct DayInterval {
    double low = 0;
    double high = 0;
};

/// Draws whole days with replacement, as many as there are, and adds up what they contribute; 2 000
/// times, so that the sums show how far results depend on which days there were.
///
/// `Sums`: what a day contributes, with `+=`. `stream`: names the random numbers.
/// Source: block bootstrap (Künsch, "The jackknife and the bootstrap for general stationary
///         observations", 1989): what happens on one day depends on each other.
/// Cost:   O(2 000 days).
template <class Sums>
[[nodiscard]] std::vector<Sums> bootstrap_days(const std::vector<Sums>& days,
                                               std::uint64_t seed,
                                               std::string_view stream) {
    constexpr std::size_t resamples = 2000;
    sim::RandomBits bits = sim::random_bits(seed, stream);
    const boost::random::uniform_int_distribution<std::size_t> any_day(0, days.size() - 1);
    std::vector<Sums> out(resamples);
    for (Sums& sums : out) {
        for (std::size_t drawn = 0; drawn < days.size(); ++drawn) {
            sums += days[any_day(bits)];
        }
    }
    return out;
}

/// From the quantile 2.5 % to the quantile 97.5 % of such results, which must not be empty.
[[nodiscard]] DayInterval interval_of(std::vector<double> results);

}  // namespace berth::experiments
