#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/measure/load_history.hpp"

namespace berth::experiments {

/// Sentences about means that an empty beginning, an emptying end or a growing queue bends, each
/// with its remedy; none about runs of few jobs, or in which most of them outlast the arrivals. The
/// rules: docs/reference/metrics.md, "When means mislead".
///
/// Shape: `utilization` is the mean over replications of the metric of the resource that the
///        histories are about (steady_resource()).
[[nodiscard]] std::vector<std::string> steady_warnings(const ExperimentSpec& spec,
                                                       std::span<const sim::LoadHistory> histories,
                                                       double utilization);

/// The GPUs, or the CPUs where the cluster has none.
[[nodiscard]] std::string steady_resource(const core::Topology& tree);

}  // namespace berth::experiments
