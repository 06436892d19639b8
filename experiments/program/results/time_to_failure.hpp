#pragma once

#include <cstdint>
#include <optional>

namespace berth::report {

/// How many events are to be expected, seen so many: of the events of a Poisson law.
///
/// Under the smaller number there are as many events or more with 5 %, under the larger one as many
/// or fewer: the 90 % interval of Garwood (1936), half of the chi-square quantiles of 2n and 2n + 2
/// degrees. Both are the same with every C library, and up to a million events the nearest double.
/// Cost: O(sqrt(events)) up to a million, some tenths of a millisecond for few; O(1) beyond.
struct ExpectedEvents {
    double low = 0;
    double high = 0;
};
[[nodiscard]] ExpectedEvents expected_events90(std::uint64_t events);

/// The mean time between the interruptions of jobs, of which each is as likely at any time that
/// they run, with its 90 % interval.
struct TimeToFailure {
    std::optional<double> mean_s;  ///< Nothing without an interruption, as `high_s`.
    double low_s = 0;
    std::optional<double> high_s;
};
[[nodiscard]] TimeToFailure time_to_failure(std::uint64_t interruptions, double running_s);

}  // namespace berth::report
