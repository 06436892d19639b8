#pragma once

#include <algorithm>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "core/support/assert.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Whether a job may be preempted for a pod of its own quota: groups never are.
[[nodiscard]] inline bool may_be_preempted(const Job& job) {
    return job.preemptible && !job.group;
}

/// Which quotas have preemptible pods on a server: what is given back there may make room together
/// with these pods.
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
    /// The quotas with such pods on the server, each quota once for each of its pods.
    [[nodiscard]] const std::vector<core::QuotaId>& on(core::ServerId server) const {
        return on_[server.index];
    }

private:
    std::vector<std::vector<core::QuotaId>> on_;  ///< Quotas of the pods on each server.
};

}  // namespace berth::sim
