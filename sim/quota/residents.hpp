#pragma once

#include <algorithm>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "core/support/assert.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Whether it may be taken out of the way of a pod of its own quota: groups are never taken.
[[nodiscard]] inline bool may_be_preempted(const Job& job) {
    return job.preemptible && !job.group;
}

/// Which quotas have pods on a server that might be preempted: what is given back there may make
/// room together with them.
class Residents {
public:
    explicit Residents(std::uint32_t servers) : on_(servers) {}

    void add(core::ServerId server, core::QuotaId quota) { on_[server.index].push_back(quota); }
    void remove(core::ServerId server, core::QuotaId quota) {
        std::vector<core::QuotaId>& quotas = on_[server.index];
        const auto one = std::ranges::find(quotas, quota);
        BERTH_ASSERT(one != quotas.end(), "a pod that leaves a server was there");
        quotas.erase(one);
    }
    /// Each quota once for each of its pods there.
    [[nodiscard]] const std::vector<core::QuotaId>& on(core::ServerId server) const {
        return on_[server.index];
    }

private:
    std::vector<std::vector<core::QuotaId>> on_;  ///< By server.
};

}  // namespace berth::sim
