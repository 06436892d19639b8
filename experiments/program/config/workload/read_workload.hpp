#pragma once

#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/pod_types.hpp"

namespace berth::experiments {

/// Reads a `GroupPlacement` document, and what an entry of `groups:` states beside it: `at`,
/// `lifetime`, `size`, ... (docs/reference/experiment.md). The job gets the name of the group.
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
