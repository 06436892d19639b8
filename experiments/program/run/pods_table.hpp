#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/alike_fields.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// Writes a row of pods.csv for each member of a job, or for the one pod that it is.
void write_pods_rows(std::string& out,
                     const ExperimentSpec& spec,
                     std::uint32_t replication,
                     const sim::JobRecord& record);
/// The same for the only pod of a job of a kind that PackedJobs knows, of which alike_in_pods_row()
/// gave `alike`.
void write_pod_row(std::string& out,
                   const core::Topology& tree,
                   std::uint32_t replication,
                   const sim::JobRecord& record,
                   const AlikeFields& alike,
                   const SharedTimes& times);
[[nodiscard]] AlikeFields alike_in_pods_row(const ExperimentSpec& spec,
                                            const sim::JobRecord& record);

/// Writes a row of evictions.csv for each member that lost its place. The record's stints are those
/// that the eviction ends.
void write_evictions_rows(std::string& out,
                          const ExperimentSpec& spec,
                          std::uint32_t replication,
                          const sim::JobRecord& record,
                          const sim::Eviction& eviction);

}  // namespace berth::experiments
