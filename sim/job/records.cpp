#include "sim/job/records.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "core/placement/placement_group.hpp"

namespace berth::sim {

std::string_view to_string(Outcome outcome) {
    static constexpr std::array<std::string_view, outcome_count> names{
        "finished", "running", "waiting", "dropped", "rejected"};
    return names[static_cast<std::size_t>(outcome)];
}

std::string to_name(EvictionCause cause) {
    static constexpr std::array names{"revoked", "preempted", "node_failed", "drained"};
    return std::string(names[static_cast<std::size_t>(cause)]);
}

bool satisfied(const JobRecord& record, const core::Topology& tree) {
    if (!record.start || !record.job.constraints) {
        return record.start.has_value();
    }
    const core::GroupRequest group{record.job.size, *record.job.constraints};
    return std::ranges::all_of(std::views::iota(std::uint32_t{0}, group.constraints.level_count()),
                               [&](std::uint32_t level) {
                                   return !group.constraints.stated(core::Level{level}) ||
                                          core::constraint_met(
                                              record.placement, group, core::Level{level}, tree);
                               });
}

}  // namespace berth::sim
