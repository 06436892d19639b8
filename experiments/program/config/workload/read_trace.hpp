#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"

namespace berth::experiments {

/// Reads a source with `trace` and what is beside it, and the trace itself once from beginning to
/// end, so that what is wrong with it, an unknown quota too, is known before anything runs.
/// Errors: recorded; InputError for a trace that cannot be read.
[[nodiscard]] std::optional<TraceFile> read_trace(const core::Value& source,
                                                  PodLabels& labels,
                                                  const core::Topology& tree,
                                                  core::Diagnostics& diagnostics);

/// Reads a trace that no document names, as a source of its own, likewise to its end.
/// Errors: recorded; InputError for a trace that cannot be read.
[[nodiscard]] TraceFile read_lone_trace(const TraceOrigin& origin,
                                        const core::Topology& tree,
                                        core::Diagnostics& diagnostics);

/// Whether any of a list of sources is a trace.
[[nodiscard]] bool has_traces(const core::Value* sources);

/// Whether GPUs are shared unless the profile says otherwise: where there is a trace, and the
/// cluster tells of each of its GPUs.
[[nodiscard]] bool wants_shares(const core::Value* workload, const core::Topology& tree);

/// Reports what jobs of traces ask for and the profile's plug-ins do not give.
void check_traces(const std::vector<WorkloadSource>& workload,
                  const sim::Profile& profile,
                  const core::SourceSpan& span,
                  core::Diagnostics& diagnostics);

}  // namespace berth::experiments
