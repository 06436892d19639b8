#pragma once

#include <vector>

#include "core/ledger/change_log.hpp"
#include "core/tree/ids.hpp"
#include "sim/backfill/timetable.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// When there is room for jobs of one kind, while nothing is promised and no drain is to come: what
/// is free on a server only grows then, as running members leave it. It stays at the last answer,
/// since the next one is seldom far from it.
///
/// Cost: made in O(servers); afterwards a look at each server that changed since the last question,
///       and at each server that members leave between the last answer and this one.
/// Limits: it counts by amounts, and so not what is inside servers.
class GrowingRoom {
public:
    /// For jobs that ask for as much as this one, with so many members. The table outlives it.
    GrowingRoom(Timetable& table, const Job& job, core::Members members);

    /// Goes to the first time, from now on, at which as many members fit as have to start. Returns
    /// whether there is one.
    [[nodiscard]] bool go_to_first();
    /// Goes on to the next time at which members leave. Returns whether there is one.
    [[nodiscard]] bool advance();
    /// The time to which it went.
    [[nodiscard]] SimTime at() const { return at_; }
    /// Of a single pod, at the first time: the servers with room, by number.
    [[nodiscard]] std::vector<core::ServerId> first_servers() const;

private:
    void follow();
    [[nodiscard]] bool go_back();
    void look(core::ServerId server, SimTime time);

    Timetable& table_;
    core::ChangeReader changes_;
    Demand demand_;
    core::Members members_;
    core::Members needed_;
    SimTime at_{};
    core::Members all_ = 0;            ///< The sum of fits_.
    std::vector<core::Members> fits_;  ///< By server, at at_: at most members_.
};

}  // namespace berth::sim
