#include <fmt/format.h>

#include <string>

#include "sim/run/occupants.hpp"

namespace berth::sim {

/// Checks, in a run in which servers may leave, that each running job is noted on each of its
/// servers, and no other job is.
std::optional<core::Violation> Occupants::find_violation(
    const std::vector<std::pair<JobId, const JobState*>>& running) const {
    if (!settings_.servers_may_leave()) {
        return std::nullopt;
    }
    std::map<core::ServerId, std::set<std::pair<std::uint64_t, JobId>>> expected;
    for (const auto& [id, state] : running) {
        for (const Stint& stint : state->record.stints) {
            if (!stint.finish) {
                expected[stint.server].emplace(state->record.arrival, id);
            }
        }
    }
    const auto arrivals = [](const std::set<std::pair<std::uint64_t, JobId>>& jobs) {
        std::string text;
        for (const auto& [arrival, id] : jobs) {
            text += fmt::format("{}{}", text.empty() ? "arrivals " : " ", arrival);
        }
        return text.empty() ? "no job" : text;
    };
    const core::Topology& tree = cluster_.topology();
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const core::ServerId server{index};
        const auto known = on_server_.find(server);
        const std::string found = known == on_server_.end() ? "no job" : arrivals(known->second);
        if (found != arrivals(expected[server])) {
            return core::Violation{
                "the jobs that the failure of a server would evict are those that run there",
                tree.path(tree.node_of(server)),
                found,
                arrivals(expected[server])};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
