#include "sim/job/run_time_model.hpp"

#include <algorithm>

#include "core/machine_allocators/machine_allocator.hpp"
#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"

namespace berth::sim {
namespace {

__extension__ using Wide = __int128;

}  // namespace

core::Level meeting_level(std::span<const core::PlacedNode> servers, const core::Topology& tree) {
    core::Level level = tree.server_level();
    BERTH_ASSERT(!servers.empty(), "members that meet are somewhere");
    core::NodeId meeting = servers.front().node;
    for (const core::PlacedNode& server : servers) {
        while (tree.ancestor(server.node, level) != meeting) {
            meeting = tree.parent(meeting);
            --level.index;
        }
    }
    return level;
}

std::int64_t run_time_factor(std::span<const SlowDown> classes,
                             std::string_view job_class,
                             core::Level level,
                             bool shares_nic) {
    BERTH_ASSERT(!classes.empty(), "a class that nobody described is as the first");
    const auto known = std::ranges::find(classes, job_class, &SlowDown::job_class);
    const SlowDown& slow_down = known != classes.end() ? *known : classes.front();
    BERTH_ASSERT(level.index < slow_down.by_level.size(), "a class has a factor for each level");
    const std::int64_t factor = slow_down.by_level[level.index];
    constexpr std::int64_t half = slow_down_unit / 2;
    return shares_nic ? (factor * slow_down.shared_nic + half) / slow_down_unit : factor;
}

SimTime run_time_of(SimTime work, std::int64_t factor) {
    const Wide time = (Wide{work.count()} * factor + slow_down_unit / 2) / slow_down_unit;
    return time >= never.count() ? never : SimTime(static_cast<std::int64_t>(time));
}

SimTime work_done_in(SimTime run_time, std::int64_t factor) {
    BERTH_ASSERT(factor >= slow_down_unit, "nobody runs faster than the work takes");
    return SimTime(static_cast<std::int64_t>(Wide{run_time.count()} * slow_down_unit / factor));
}

bool NicUsers::add(core::ServerId server, std::span<const Grant> grants) {
    bool shared = false;
    for (const Grant& grant : grants) {
        if (grant.devices != nullptr) {
            core::for_each_bit(grant.devices->nics, [&](std::size_t nic) {
                shared = ++users_[{server, nic}] > 1 || shared;
            });
        }
    }
    return shared;
}

void NicUsers::remove(core::ServerId server, std::span<const Grant> grants) {
    for (const Grant& grant : grants) {
        if (grant.devices != nullptr) {
            core::for_each_bit(grant.devices->nics, [&](std::size_t nic) {
                const auto users = users_.find({server, nic});
                BERTH_ASSERT(users != users_.end(), "a NIC is given back by one who had it");
                if (--users->second == 0) {
                    users_.erase(users);
                }
            });
        }
    }
}

}  // namespace berth::sim
