#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sim/backfill/imagined_cluster.hpp"
#include "sim/backfill/timetable.hpp"

namespace berth::sim {

/// Counts how many members of a job fit, for all of the time that they would stay, at a start time
/// that advances from one change of what is free to the next.
class StartSearch {
public:
    /// The first start time is `at`. All outlive it, and the table does not change meanwhile.
    StartSearch(
        Timetable& table, const Job& job, core::Members members, SimTime duration, SimTime at);

    [[nodiscard]] SimTime at() const { return at_; }
    /// Whether, by amounts, as many fit as have to start; at most `members` are counted on each
    /// server.
    [[nodiscard]] bool enough() const { return all_ >= std::min(members_, job_.min_available); }
    /// Shows `cluster` what is free then; it must still hold what this search showed it before.
    void show(ImaginedCluster& cluster);
    /// Advances to the next time at which anything is different. Returns whether there is one.
    bool advance();

private:
    void look(std::uint32_t place);
    void count(const Timetable::Place& here,
               std::uint32_t server,
               std::size_t begin,
               std::size_t end);
    [[nodiscard]] SimTime next_change(const Timetable::Place& here,
                                      std::uint32_t place,
                                      std::size_t begin,
                                      std::size_t end) const;
    [[nodiscard]] std::span<core::Amount> free(std::uint32_t server) {
        return std::span(free_).subspan(server * width_, width_);
    }

    using Change = std::pair<SimTime, std::uint32_t>;
    Timetable& table_;
    const Job& job_;
    core::Members members_;
    SimTime duration_;
    SimTime at_;
    std::size_t width_;
    core::Members all_ = 0;
    std::vector<core::Amount> free_;     ///< By server and resource.
    std::vector<Inside::Taken> inside_;  ///< By place.
    std::vector<core::Members> fits_;
    std::vector<bool> drained_;          ///< By server, in a run with drains: before it would end.
    std::vector<core::Members> pods_;    ///< By server: those of its application, if limited.
    std::vector<std::size_t> begins_;    ///< By place, the step that holds at `at_`.
    std::vector<std::uint32_t> looked_;  ///< Places that show() has to show.
    std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
};

}  // namespace berth::sim
