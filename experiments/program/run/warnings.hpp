#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/load_history.hpp"
#include "sim/meter/metric.hpp"

namespace berth::experiments {

/// Warnings about an experiment before it runs that its readers could not give, one line each.
/// `validate` and `run` show them, and `summary.json` has them behind `spec.warnings`.
[[nodiscard]] std::vector<std::string> experiment_warnings(const ExperimentSpec& spec);

/// A sentence, with its remedy, about the jobs of all replications that were given up because
/// failures had interrupted them `give_up_after` times. They are missing from every mean of
/// finished jobs. Nothing if there are no such jobs.
[[nodiscard]] std::optional<std::string> given_up_warning(std::uint64_t jobs,
                                                          std::uint32_t give_up_after);

/// The jobs of a replication that one warning is about.
struct CountedJobs {
    std::uint64_t count = 0;
    std::uint64_t arrival = 0;  ///< The arrival of the first of them.
    /// The first of them and the reason: `a: LocalQueue default/b doesn't exist.`
    std::string first;

    void add(const sim::JobRecord& record);
    void add(const CountedJobs& more);
};

/// A sentence about jobs that quotas, or a scheduler that admits jobs, rejected, and about what to
/// do if that is usually a mistake. `jobs`: by replication. Nothing if no job was rejected, or if a
/// scheduler from outside rejected them.
[[nodiscard]] std::optional<std::string> rejected_warning(const ExperimentSpec& spec,
                                                          std::span<const CountedJobs> jobs);

/// A sentence about jobs that never arrived because the jobs that they wait for had not ended, or
/// had ended in another way. `jobs`: by replication. Nothing if all jobs arrived.
[[nodiscard]] std::optional<std::string> never_arrived_warning(std::span<const CountedJobs> jobs);

/// A sentence, with its remedy, if the replications are too short for a percentile of jobs' waits.
/// Consecutive jobs have similar waits, so a replication says less than as many independent waits
/// would, and a percentile far in the tail comes out too low. Nothing if the replications are long
/// enough, or too few to tell. The rule: docs/reference/metrics.md, "When means mislead".
///
/// Shape: the metrics of each replication, in the same order; `percent` is 95 or 99.
[[nodiscard]] std::optional<std::string> short_run_warning(
    std::span<const std::vector<sim::Metric>> replications, int percent);

/// Sentences, each with its remedy, about means that are distorted by an empty beginning, an
/// emptying end or a growing queue. There are none for runs with few jobs, or if most jobs outlast
/// the arrivals. The rules: docs/reference/metrics.md, "When means mislead".
///
/// Shape: `utilization` is the mean over the replications of the utilization of the resource that
///        the histories are about (steady_resource()).
[[nodiscard]] std::vector<std::string> steady_warnings(const ExperimentSpec& spec,
                                                       std::span<const sim::LoadHistory> histories,
                                                       double utilization);

/// The resource to judge the load by: the GPUs, or the CPUs if the cluster has no GPUs.
[[nodiscard]] std::string steady_resource(const core::Topology& tree);

}  // namespace berth::experiments
