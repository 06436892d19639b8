#include <fmt/format.h>

#include <algorithm>

#include "sim/queue/duration_index.hpp"

namespace berth::sim {

/// Checks that each job is there once, in order, in a stretch that begins no later, and that each
/// stretch has its shortest duration.
std::optional<core::Violation> DurationIndex::find_violation(
    const std::vector<std::pair<QueueKey, SimTime>>& jobs) const {
    std::vector<std::pair<QueueKey, SimTime>> found;
    for (std::size_t here = 0; here < stretches_.size(); ++here) {
        const QueueKey& first = begins_[here];
        SimTime shortest = never;
        for (const auto& [place, duration] : stretches_[here]) {
            shortest = std::min(shortest, duration);
            if (place < first || (!found.empty() && place < found.back().first)) {
                return core::Violation{
                    "waiting jobs stand in the order of the queue where they are "
                    "found by their durations",
                    fmt::format("entry {}", place.number),
                    "before one that precedes it",
                    "behind it"};
            }
            found.emplace_back(place, duration);
        }
        if (shortest != shortest_[here] || stretches_[here].empty()) {
            return core::Violation{"a stretch of the queue knows its shortest job",
                                   fmt::format("the stretch from entry {}", first.number),
                                   fmt::format("{} ns", shortest_[here].count()),
                                   fmt::format("{} ns", shortest.count())};
        }
    }
    if (found != jobs) {
        return core::Violation{
            "waiting jobs are found by their durations",
            "a class of the queue",
            fmt::format("{} jobs", found.size()),
            fmt::format("{} jobs, with their places and durations", jobs.size())};
    }
    return std::nullopt;
}

}  // namespace berth::sim
