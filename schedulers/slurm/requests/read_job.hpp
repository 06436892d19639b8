#pragma once

#include "schedulers/slurm/requests/read_partitions.hpp"
#include "schedulers/slurm/requests/slurm_request.hpp"

namespace berth::experiments {

/// The cluster to which jobs are submitted.
struct ReadCluster {
    const core::slurm::Cluster* cluster = nullptr;
    std::vector<ReadPartition> partitions;
    /// EnforcePartLimits: jobs beyond limits of their partition are refused, and do not wait.
    bool limits_refuse = false;
    /// AccountingStorageEnforce: jobs without an association are refused.
    bool associations_matter = false;
};

/// A job of a request; what sbatch would refuse is refused in its words.
/// Errors: RequestError, SlurmFault.
[[nodiscard]] AskedJob read_job(const RequestField& job, const ReadCluster& cluster);

/// The seconds of a field as milliseconds, from -most to most.
/// Errors: RequestError.
[[nodiscard]] Milliseconds milliseconds(const RequestField& seconds, double most = 1e8);

}  // namespace berth::experiments
