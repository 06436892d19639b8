#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/failures/drain_window.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/job_life.hpp"
#include "sim/run/outages.hpp"

namespace berth::sim {

/// Carries out what DrainCalendar announces: when a window begins, preemptible jobs are evicted; a
/// server leaves when it is empty, and is back when its window is over.
///
/// Cost: O(servers below + members that lose their places) per window, and a look at each server
///       that changed after an event.
class Drains {
public:
    /// All arguments outlive it.
    Drains(Cluster& cluster,
           JobLife& jobs,
           Outages& outages,
           RecordSink& sink,
           const Settings& settings);

    void begin(std::uint32_t window);
    void finish(std::uint32_t window);
    /// After each event: servers that have become empty leave.
    void event_handled();
    /// The run is over: windows that are still open get their records now.
    void end();
    /// Checks afresh which servers are away for a drain, and whether they should be.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;

private:
    struct Open {
        DrainRecord record;
        std::uint32_t window = 0;
        std::set<core::ServerId> occupied;  ///< Servers that have not left.
        bool over = false;
    };
    [[nodiscard]] std::optional<core::Violation> find_wrong_absence() const;
    void evict_from(Open& open);
    void take_away_if_empty(core::ServerId server, Open& open);
    void count_evicted();
    [[nodiscard]] Open* open_on(core::ServerId server);
    void record_front();

    Cluster& cluster_;
    JobLife& jobs_;
    Outages& outages_;
    RecordSink& sink_;
    std::span<const DrainWindow> windows_;
    core::ChangeReader changes_;
    std::deque<Open> open_;                            ///< Windows by number; the front one is not
                                                       ///< over.
    std::map<core::ServerId, std::uint32_t> staying_;  ///< For each server that still has pods, the
                                                       ///< drain window that it is in.
    std::map<JobId, std::uint32_t> told_;              ///< The window that last evicted each job.
};

}  // namespace berth::sim
