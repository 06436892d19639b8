#include "sim/profile/settings.hpp"

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

std::vector<SimTime> Settings::quota_changes() const {
    BERTH_ASSERT(!quotas || !admission, "berth's quotas admit jobs, or another system does");
    std::vector<SimTime> times;
    if (quotas) {
        std::ranges::transform(quotas->changes, std::back_inserter(times), &QuotaChange::at);
    } else if (admission) {
        times = admission->change_times();
    }
    return times;
}

std::vector<core::ServerId> Settings::left_out() const {
    std::vector<core::ServerId> servers = absent;
    std::erase_if(servers, [this](core::ServerId server) {
        return std::ranges::any_of(node_changes, [server](const NodeChange& change) {
            return change.server == server && change.up;
        });
    });
    std::ranges::sort(servers);
    return servers;
}

}  // namespace berth::sim
