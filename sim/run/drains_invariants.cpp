#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/run/drains.hpp"

namespace berth::sim {

using core::ServerId;
using core::Violation;

/// Checks that each job on a server with an open window was there before the window began, and that
/// an empty server has left.
std::optional<Violation> Drains::find_violation() const {
    const core::Topology& tree = cluster_.topology();
    const SimTime now = jobs_.now();
    std::map<ServerId, SimTime> open;  // when the open window of each server began
    for (const DrainWindow& window : windows_) {
        if (window.at <= now && now < window.until) {
            const auto number = static_cast<std::uint32_t>(&window - windows_.data());
            for (const ServerId server : cluster_.calendar().servers(number)) {
                open.emplace(server, window.at);
            }
        }
    }
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const ServerId server{index};
        const auto since = open.find(server);
        const std::string where(tree.name(tree.node_of(server)));
        if (cluster_.calendar().is_open(server) != (since != open.end())) {
            return Violation{"the calendar knows which servers are being drained",
                             where,
                             since == open.end() ? "it is" : "it is not",
                             since == open.end() ? "that it is not" : "that it is"};
        }
        if (since == open.end()) {
            continue;
        }
        for (const JobId id : jobs_.jobs_on(server)) {
            const auto starts_there = [&](const Stint& stint) {
                return stint.server == server && !stint.finish && stint.start >= since->second;
            };
            if (std::ranges::any_of(jobs_.job(id).record.stints, starts_there)) {
                return Violation{"no job starts on a server that is being drained",
                                 where,
                                 fmt::format("job {}", jobs_.job(id).job().name),
                                 "no job that started since"};
            }
        }
    }
    return find_wrong_absence();
}

/// Checks the windows whose beginning has been handled, and whose end has not.
std::optional<Violation> Drains::find_wrong_absence() const {
    for (const Open& open : open_) {
        const std::vector<ServerId> servers = cluster_.calendar().servers(open.window);
        for (const ServerId server : open.over ? std::vector<ServerId>() : servers) {
            const bool empty = jobs_.is_empty(server);
            const bool up = cluster_.ledger().is_up(server);
            if (up == empty || open.occupied.contains(server) == empty) {
                const core::Topology& tree = cluster_.topology();
                return Violation{"a server that is being drained leaves when it is empty",
                                 std::string(tree.name(tree.node_of(server))),
                                 up ? "it is there" : "it has left",
                                 empty ? "that it has left" : "that it is there"};
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
