#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/index/first_best.hpp"
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
    void forget_freed();

    Timetable& table_;
    core::ChangeReader freed_;
    Demand demand_;
    SimTime shortest_;
    core::FirstBest<SimTime, std::greater<>> since_;  ///< By server: none has room there before.
};

/// The longest of some times, four to each power of two, that is no longer than this one: pods that
/// run for about as long share one FirstTimes.
[[nodiscard]] SimTime shortest_alike(SimTime duration);

}  // namespace berth::sim
