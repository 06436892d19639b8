#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/job/job.hpp"
#include "sim/job/records.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// One member of a job on one server, during one period.
struct PlainStint {
    core::Members number = 0;
    std::uint32_t server = 0;
    sim::SimTime start{};
    std::optional<sim::SimTime> finish{};
    std::uint64_t since = 0;  ///< Number of the start or join; members that came together share it.
    PlainGrant grant{};
};

/// What a member did in stints that were ended by evictions.
struct PlainPast {
    sim::SimTime submit{};
    sim::SimTime ran{};
    sim::SimTime kept{};
    sim::SimTime lost{};
    sim::EvictionCounts evictions{};
};

/// A job and everything that happened to it.
struct PlainJobState {
    sim::Job job;       ///< The job, with the quota to which it belongs.
    std::string label;  ///< The quota that the job names.
    /// The owners of the job's usage, each from a time on: its quota or, without quotas, its user.
    std::vector<std::pair<sim::SimTime, std::string>> owners{};
    sim::Outcome outcome = sim::Outcome::waiting;
    std::optional<sim::SimTime> start{};
    std::optional<sim::SimTime> finish{};
    /// Stints that still run, or that ended in a resize or with the job.
    std::vector<PlainStint> stints{};
    std::map<core::Members, PlainPast> pasts{};  ///< Pasts by member number.
    core::Members numbered = 0;
    core::Members placed = 0;
    std::uint32_t resizes_refused = 0;
    sim::SimTime ran_before{};
    sim::SimTime lost{};
    sim::EvictionCounts evictions{};
    std::int64_t factor = 1000;  ///< Factor of its run time, in thousandths.

    bool ended = false;
    bool waits() const { return !ended && !start; }
    bool runs() const { return !ended && start.has_value(); }
    std::uint64_t entry = 0;             ///< Number of its entry into the queue.
    std::optional<sim::SimTime> left{};  ///< Work left.
    std::int64_t service = 0;            ///< Service attained before evictions.
    std::size_t resizes_done = 0;
    bool unsettled = true;  ///< Whether it waits without a promise.
    std::vector<PlainStint> evicted_stints{};
};

}  // namespace berth::tests
