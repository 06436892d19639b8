#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/measure/load_history.hpp"
#include "sim/meter/metric.hpp"

namespace berth::experiments {

/// What a person should know of an experiment before it runs and its readers could not say: one
/// line each. `validate` and `run` show these, and `summary.json` keeps them behind
/// `spec.warnings`.
[[nodiscard]] std::vector<std::string> experiment_warnings(const ExperimentSpec& spec);

/// A sentence, with its remedy, that so many jobs were given up in all replications, since failures
/// had interrupted them `give_up_after` times: they are in no mean of jobs that finished. Nothing
/// where there are none.
[[nodiscard]] std::optional<std::string> given_up_warning(std::uint64_t jobs,
                                                          std::uint32_t give_up_after);

/// The jobs of a replication that were rejected.
struct RejectedJobs {
    std::uint64_t count = 0;
    std::string first;  ///< The first of them and why: `a: LocalQueue default/b doesn't exist.`
};

/// A sentence that jobs were rejected beside Kueue, and what to do about a queue that there is not,
/// which is more often a mistake than meant. `jobs`: by replication. Nothing where there are none.
[[nodiscard]] std::optional<std::string> rejected_by_kueue_warning(
    const ExperimentSpec& spec, std::span<const RejectedJobs> jobs);

/// A sentence, with its remedy, that the replications are too short for a percentile of jobs'
/// waits. Jobs that come one after the other wait alike, so a replication tells less than as many
/// independent waits would, and a percentile far in the tail comes out too low. Nothing where the
/// replications are long enough, or too few to say so. The rule: docs/reference/metrics.md, "When
/// means mislead".
///
/// Shape: the metrics of each replication, in the same order; `percent` is 95 or 99.
[[nodiscard]] std::optional<std::string> short_run_warning(
    std::span<const std::vector<sim::Metric>> replications, int percent);

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
