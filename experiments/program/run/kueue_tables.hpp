#pragma once

#include <cstdint>
#include <string>

#include "sim/job/quota_hold.hpp"
#include "sim/quota/kueue_settings.hpp"

namespace berth::experiments {

/// A row of admissions.csv.
[[nodiscard]] std::string admissions_row(std::uint32_t replication, const sim::QuotaHold& hold);

/// cluster_queues.csv: Kueue's cohorts and queues with their quotas, cohorts before queues and
/// ClusterQueues before LocalQueues; then those that change, change by change.
[[nodiscard]] std::string cluster_queues_csv(const sim::KueueSettings& settings);

}  // namespace berth::experiments
