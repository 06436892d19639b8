#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ledger/change_log.hpp"
#include "core/tree/ids.hpp"
#include "sim/backfill/timetable.hpp"

namespace berth::sim {

/// For pods of one demand that run for some time or longer: from when on each server may have room
/// for one, beside all who run and all promises. Promises and starts only make that later, so that
/// a search looks again at the servers alone that may have room before it has found any.
///
/// Cost: made in O(servers); a search looks at the steps of each server that may have room no later
///       than its answer, and at those on which something was given back since the last one.
class FirstTimes {
public:
    /// For pods that run for at least `shortest`. The table outlives it.
    FirstTimes(Timetable& table, Demand demand, SimTime shortest);

    struct Found {
        SimTime at = never;                     ///< `never`: none has room.
        std::vector<core::ServerId> servers{};  ///< All that have it from then on, by number.
    };
    /// The first time from `from` on, which is not past, at which a server has room for all of
    /// `duration`.
    [[nodiscard]] Found find(SimTime duration, SimTime from);

private:
    [[nodiscard]] std::uint32_t earliest() const { return winners_[1]; }
    [[nodiscard]] std::uint32_t winner(std::uint32_t a, std::uint32_t b) const;
    void set(std::uint32_t server, SimTime time);
    void forget_freed();

    Timetable& table_;
    core::ChangeReader freed_;
    Demand demand_;
    SimTime shortest_;
    std::vector<SimTime> since_;          ///< By server: none has room there before.
    std::uint32_t leaves_;                ///< Of the tournament of who has room first.
    std::vector<std::uint32_t> winners_;  ///< An implicit binary tree; entry 1 is the final.
};

/// The longest of some times, four to each power of two, that is no longer than this one: pods that
/// run for about as long share one FirstTimes.
[[nodiscard]] SimTime shortest_alike(SimTime duration);

}  // namespace berth::sim
