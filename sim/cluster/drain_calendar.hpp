#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/index/server_rule.hpp"
#include "core/tree/topology.hpp"
#include "sim/failures/drain_window.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// The servers below a node, or the node's own, in the order of the tree.
[[nodiscard]] std::vector<core::ServerId> servers_below(const core::Topology& tree,
                                                        core::NodeId node);

/// When which servers are drained, and so who may start where: a job that is expected to be there
/// still when a window of the server begins may not.
///
/// Windows have numbers in the order in which they begin. A job that starts now meets those with a
/// number below some K, as far as they are not over; so all jobs with one K are refused by the same
/// servers, and what a server answers them changes only when a window of it is over.
///
/// Cost: O(log windows) for a job's K, O(1) a server; O(servers below) as a window ends.
class DrainCalendar {
public:
    /// `windows` by their beginnings; no two of one server overlap. They outlive it, as the tree
    /// does. The time is 0.
    DrainCalendar(const core::Topology& tree, std::span<const DrainWindow> windows);
    DrainCalendar(const DrainCalendar& other);  ///< Makes its own rules.
    ~DrainCalendar();
    DrainCalendar& operator=(const DrainCalendar&) = delete;

    [[nodiscard]] bool empty() const { return windows_.empty(); }
    [[nodiscard]] SimTime now() const { return now_; }
    /// Goes on to a time, and calls `changed` with each server of which a window began or ended
    /// since.
    template <class Changed>
    void go_to(SimTime now, Changed changed) {
        now_ = std::max(now_, now);
        for (; ended_ < by_end_.size() && windows_[by_end_[ended_]].until <= now_; ++ended_) {
            for (const core::ServerId server : servers(by_end_[ended_])) {
                ++next_[server.index];
                changed(server);
            }
        }
        for (; begun_ < windows_.size() && windows_[begun_].at <= now_; ++begun_) {
            for (const core::ServerId server : servers(begun_)) {
                changed(server);
            }
        }
    }

    /// Whether a window of the server is open now.
    [[nodiscard]] bool is_open(core::ServerId server) const {
        return !empty() && first_met(server) < begun_;
    }
    /// How many windows, counted from the first, a job that starts now would meet if its server
    /// had all of them; 0 as well if these are over.
    [[nodiscard]] std::uint32_t met(const Job& job) const;
    /// What refuses such a job's pods; nullptr: nothing. Its address is stable.
    [[nodiscard]] const core::ServerRule* rule(std::uint32_t met) const;
    /// Whether a server has a window within this time, which may lie ahead.
    [[nodiscard]] bool meets(core::ServerId server, SimTime from, SimTime run) const;
    /// The next time after `from` at which meets() may give another answer for the same `run`;
    /// `never`: there is none.
    [[nodiscard]] SimTime next_change(core::ServerId server, SimTime from, SimTime run) const;
    /// The servers that have a window within this time, which begins now, in no order.
    [[nodiscard]] std::vector<core::ServerId> meeting(SimTime run) const;
    /// The servers below a window's node.
    [[nodiscard]] std::vector<core::ServerId> servers(std::uint32_t window) const {
        return servers_below(tree_, windows_[window].node);
    }

private:
    class Rule;
    /// The number of the server's first window that is not over; beyond all: it has none.
    [[nodiscard]] std::uint32_t first_met(core::ServerId server) const {
        const std::vector<std::uint32_t>& own = of_server_[server.index];
        return next_[server.index] < own.size() ? own[next_[server.index]] : ~std::uint32_t{0};
    }
    /// How many windows begin before somebody has left who starts at a time.
    [[nodiscard]] std::uint32_t begun_within(SimTime from, SimTime run) const;
    /// The server's first window that is not over at a time, or nullptr.
    [[nodiscard]] const DrainWindow* first_at(core::ServerId server, SimTime time) const;

    const core::Topology& tree_;
    std::span<const DrainWindow> windows_;
    std::vector<std::uint32_t> by_end_;                  ///< Their numbers, by their ends.
    std::vector<SimTime> last_end_;                      ///< By K: when the first K are over.
    std::vector<std::vector<std::uint32_t>> of_server_;  ///< Its windows' numbers, in order.
    std::vector<std::uint32_t> next_;                    ///< By server, how many of those are over.
    std::uint32_t begun_ = 0;
    std::size_t ended_ = 0;
    SimTime now_{};
    mutable std::map<std::uint32_t, std::unique_ptr<Rule>> rules_;  ///< By K, made on demand.
};

}  // namespace berth::sim
