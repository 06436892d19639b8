#pragma once

#include <cstdint>
#include <optional>

namespace berth::report {

/// The expected number of events of a Poisson distribution, given how many were seen.
///
/// If the smaller number is expected, as many events or more have a probability of 5 %; if the
/// larger one is expected, as many or fewer do. This is the 90 % interval of Garwood (1936), half
/// of the chi-square quantiles for 2n and 2n + 2 degrees. Both numbers are the same with every C
/// library, and up to a million events the nearest double.
/// Cost: O(sqrt(events)) up to a million, some tenths of a millisecond for few; O(1) beyond.
struct ExpectedEvents {
    double low = 0;
    double high = 0;
};
[[nodiscard]] ExpectedEvents expected_events90(std::uint64_t events);

/// The mean time between the interruptions of jobs, with its 90 % interval. An interruption is
/// equally likely at any time at which a job runs.
struct TimeToFailure {
    std::optional<double> mean_s;  ///< Empty without an interruption, like `high_s`.
    double low_s = 0;
    std::optional<double> high_s;
};
[[nodiscard]] TimeToFailure time_to_failure(std::uint64_t interruptions, double running_s);

}  // namespace berth::report
