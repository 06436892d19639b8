#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// The jobs of a replication that were rejected.
struct RejectedJobs {
    std::uint64_t count = 0;
    std::string first;  ///< The first of them and why: `a: LocalQueue default/b doesn't exist.`
};

/// A sentence that jobs were rejected beside Kueue, and what to do about a queue that there is not,
/// which is more often a mistake than meant. `jobs`: by replication. Nothing where there are none.
[[nodiscard]] std::optional<std::string> rejected_by_kueue_warning(
    const ExperimentSpec& spec, std::span<const RejectedJobs> jobs);

}  // namespace berth::experiments
