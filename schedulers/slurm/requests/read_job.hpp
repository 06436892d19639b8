#pragma once

#include "schedulers/slurm/requests/slurm_request.hpp"

namespace berth::experiments {

/// A job of a request; what sbatch would refuse is refused in its words.
/// Errors: RequestError, SlurmFault.
[[nodiscard]] AskedJob read_job(const RequestField& job, const core::slurm::Cluster& cluster);

/// The seconds of a field as milliseconds, from `least` to `most`.
/// Errors: RequestError.
[[nodiscard]] Milliseconds milliseconds(const RequestField& seconds,
                                        double least = -1e8,
                                        double most = 1e8);

}  // namespace berth::experiments
