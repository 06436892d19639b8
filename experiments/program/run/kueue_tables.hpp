#pragma once

#include <cstdint>
#include <string>

#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "sim/job/quota_hold.hpp"
#include "sim/quota/kueue_settings.hpp"

namespace berth::experiments {

/// Writes a row of admissions.csv at the end of a text.
void write_admissions_row(std::string& out, std::uint32_t replication, const sim::QuotaHold& hold);

/// Where a group asked to lie, as `required rack` or `preferred rack` for each level that it
/// states; of a constraint to spread `spread` is said before it. Empty for one that states nothing.
[[nodiscard]] std::string asked_for(const sim::Job& job, const core::Topology& tree);

/// cluster_queues.csv: Kueue's cohorts and queues with their quotas, cohorts before queues and
/// ClusterQueues before LocalQueues; then those that change, change by change.
[[nodiscard]] std::string cluster_queues_csv(const sim::KueueSettings& settings);

}  // namespace berth::experiments
