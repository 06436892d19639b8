#pragma once

#include <cstdint>
#include <optional>

#include "sim/job/members.hpp"
#include "sim/job/records.hpp"
#include "sim/meter/censored_sample.hpp"

namespace berth::sim {

/// Below this run time, a slowdown says more about the job than about the wait.
inline constexpr double bounded_slowdown_threshold_s = 10;

/// How long a job, or some of its members that are alike, waited and took.
struct Times {
    /// A time in a job's life ended, goes on, or was given up together with the job.
    enum class State : std::uint8_t { none, ended, going_on, given_up };

    SimTime wait{};
    SimTime completion{};  ///< Time from its arrival to its end.
    SimTime run{};         ///< How long its work takes.
    State wait_state = State::none;
    State completion_state = State::none;
    bool never_started = false;

    friend bool operator==(const Times&, const Times&) = default;
};

/// `now` matters only for a job that waits or runs.
[[nodiscard]] Times times_of(const JobRecord& record, SimTime now);
[[nodiscard]] Times times_of(const Member& member, const JobRecord& record, SimTime now);

/// The statistics of times. Names and meanings: docs/reference/metrics.md.
enum class TimeStatistic : std::uint8_t { wait, completion, slowdown, bounded_slowdown };
inline constexpr std::size_t time_statistic_count = 4;

/// Adds a statistic of these times to a sample, if they have it.
void add(CensoredSample& sample, TimeStatistic statistic, const Times& times, std::int64_t weight);

}  // namespace berth::sim
