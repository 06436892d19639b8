#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// Writes a row of pods.csv for each member of a job, or for the one pod that it is.
void write_pods_rows(std::string& out,
                     const ExperimentSpec& spec,
                     std::uint32_t replication,
                     const sim::JobRecord& record);

/// Writes a row of evictions.csv for each member that lost its place. The record's stints are those
/// that the eviction ends.
void write_evictions_rows(std::string& out,
                          const ExperimentSpec& spec,
                          std::uint32_t replication,
                          const sim::JobRecord& record,
                          const sim::Eviction& eviction);

}  // namespace berth::experiments
