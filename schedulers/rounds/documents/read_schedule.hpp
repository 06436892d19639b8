#pragma once

#include <cstdint>
#include <vector>

#include "core/support/value.hpp"
#include "schedulers/rounds/run/rounds_settings.hpp"

namespace berth::experiments {

/// Reads a recorded schedule: a table with the columns `job,first_round,last_round,workers`, of
/// which the last one has numbers of GPUs below `gpus` with spaces between them.
/// Errors: recorded at their lines. It is also an error if two rows of one round name the same GPU
///         or the same job.
[[nodiscard]] std::vector<sim::RecordedLease> read_schedule(const core::Value& csv,
                                                            std::int64_t gpus,
                                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
