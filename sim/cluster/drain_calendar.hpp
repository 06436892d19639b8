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

/// The servers below a node, or the node's own server, in the order of the tree.
[[nodiscard]] std::vector<core::ServerId> servers_below(const core::Topology& tree,
                                                        core::NodeId node);

/// When which servers are drained, and so which jobs may start where: a job may not start on a
/// server if it is expected to be still there when a window of the server begins.
///
/// Windows are numbered in the order in which they begin. A job that starts now meets those windows
/// with a number below some K that are not over; so all jobs with the same K are refused by the
/// same servers, and a server's answer for them changes only when one of its windows is over.
///
/// Cost: O(log windows) for a job's K, O(1) per server; O(servers below) when a window ends.
class DrainCalendar {
public:
    /// `windows` are in order of their beginnings; no two windows of one server overlap. `windows`
    /// and `tree` outlive it. The time is 0.
    DrainCalendar(const core::Topology& tree, std::span<const DrainWindow> windows);
    DrainCalendar(const DrainCalendar& other);  ///< Makes rules of its own.
    ~DrainCalendar();
    DrainCalendar& operator=(const DrainCalendar&) = delete;

    [[nodiscard]] bool empty() const { return windows_.empty(); }
    [[nodiscard]] SimTime now() const { return now_; }
    /// Goes on to a time, and calls `changed` with each server for which a window began or ended
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
    /// How many windows, counted from the first, a job that starts now would meet if its server had
    /// all of them; also 0 if all of these are over.
    [[nodiscard]] std::uint32_t met(const Job& job) const;
    /// The rule that refuses the pods of such a job; nullptr: nothing does. Its address is stable.
    [[nodiscard]] const core::ServerRule* rule(std::uint32_t met) const;
    /// Whether a server has a window within the time `run` from `from` on, which may be in the
    /// future.
    [[nodiscard]] bool meets(core::ServerId server, SimTime from, SimTime run) const;
    /// The next time after `from` at which meets() may give another answer for the same `run`;
    /// `never` if there is none.
    [[nodiscard]] SimTime next_change(core::ServerId server, SimTime from, SimTime run) const;
    /// The servers that have a window within the time `run` from now on, in no particular order.
    [[nodiscard]] std::vector<core::ServerId> meeting(SimTime run) const;
    /// The servers below a window's node.
    [[nodiscard]] std::vector<core::ServerId> servers(std::uint32_t window) const {
        return servers_below(tree_, windows_[window].node);
    }

private:
    class Rule;
    /// The number of the server's first window that is not over; larger than all numbers if there
    /// is none.
    [[nodiscard]] std::uint32_t first_met(core::ServerId server) const {
        const std::vector<std::uint32_t>& own = of_server_[server.index];
        return next_[server.index] < own.size() ? own[next_[server.index]] : ~std::uint32_t{0};
    }
    /// How many windows begin before a pod that starts at `from` has left.
    [[nodiscard]] std::uint32_t begun_within(SimTime from, SimTime run) const;
    /// The server's first window that is not over at a time, or nullptr.
    [[nodiscard]] const DrainWindow* first_at(core::ServerId server, SimTime time) const;

    const core::Topology& tree_;
    std::span<const DrainWindow> windows_;
    std::vector<std::uint32_t> by_end_;                  ///< Window numbers in order of their ends.
    std::vector<SimTime> last_end_;                      ///< When the first K are over, by K.
    std::vector<std::vector<std::uint32_t>> of_server_;  ///< The windows of each server, in order.
    std::vector<std::uint32_t> next_;                    ///< Windows that are over, per server.
    std::uint32_t begun_ = 0;
    std::size_t ended_ = 0;
    SimTime now_{};
    mutable std::map<std::uint32_t, std::unique_ptr<Rule>> rules_;  ///< One per K, made on demand.
};

}  // namespace berth::sim
