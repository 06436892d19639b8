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

/// One member of a job on one server, over one stretch of time.
struct PlainStint {
    core::Members number = 0;
    std::uint32_t server = 0;
    sim::SimTime start{};
    std::optional<sim::SimTime> finish{};
    std::uint64_t since = 0;  ///< Counts starts and joins: who came together has the same.
    PlainGrant grant{};
};

/// What a member did in stints that an eviction ended.
struct PlainPast {
    sim::SimTime submit{};
    sim::SimTime ran{};
    sim::SimTime kept{};
    sim::SimTime lost{};
    sim::EvictionCounts evictions{};
};

/// A job and all that became of it.
struct PlainJobState {
    sim::Job job;       ///< Its quota is the one to which it belongs.
    std::string label;  ///< The quota that it names.
    /// Who has used what it used from a time on: its quota or, without quotas, its user.
    std::vector<std::pair<sim::SimTime, std::string>> owners{};
    sim::Outcome outcome = sim::Outcome::waiting;
    std::optional<sim::SimTime> start{};
    std::optional<sim::SimTime> finish{};
    std::vector<PlainStint> stints{};  ///< Those that run or left in a resize, or all at its end.
    std::map<core::Members, PlainPast> pasts{};  ///< By the member's number.
    core::Members numbered = 0;
    core::Members placed = 0;
    std::uint32_t resizes_refused = 0;
    sim::SimTime ran_before{};
    sim::SimTime lost{};
    sim::EvictionCounts evictions{};
    std::int64_t factor = 1000;  ///< Of its run time, in thousandths.

    bool ended = false;
    bool waits() const { return !ended && !start; }
    bool runs() const { return !ended && start.has_value(); }
    std::uint64_t entry = 0;             ///< Into the queue.
    std::optional<sim::SimTime> left{};  ///< Of its work.
    std::int64_t service = 0;            ///< Before evictions.
    std::size_t resizes_done = 0;
    bool unsettled = true;  ///< Where promises are kept: it waits, and has none yet.
    std::vector<PlainStint> evicted_stints{};
};

}  // namespace berth::tests
