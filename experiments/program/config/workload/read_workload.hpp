#pragma once

#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/pod_types.hpp"

namespace berth::experiments {

/// Reads a `GroupPlacement` document, and beside it what an entry of `groups:` may say of it: `at`,
/// `lifetime`, `size`, ... (docs/reference/experiment.md). The job's name is the group's.
[[nodiscard]] sim::Job read_group(const core::Value& document,
                                  const core::Value* entry,
                                  const PodTypes& types,
                                  PodLabels& labels,
                                  const core::Topology& tree,
                                  core::Diagnostics& diagnostics);

/// Reads a list of workload sources.
[[nodiscard]] std::vector<WorkloadSource> read_workload(const core::Value& sources,
                                                        const PodTypes& types,
                                                        PodLabels& labels,
                                                        const core::Topology& tree,
                                                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
