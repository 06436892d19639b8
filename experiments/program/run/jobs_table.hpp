#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/packed_jobs.hpp"
#include "experiments/program/run/table_row.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// Appends the row of a group in groups.csv to a text, with its newline.
void write_groups_row(std::string& out,
                      const ExperimentSpec& spec,
                      std::uint32_t replication,
                      const sim::JobRecord& record);

/// Appends the row of a job in jobs.csv to a text, with its newline.
void write_jobs_row(std::string& out,
                    const ExperimentSpec& spec,
                    std::uint32_t replication,
                    const sim::JobRecord& record);
/// Does the same for a job of a kind that PackedJobs knows. alike_in_jobs_row() returned `alike`,
/// and take_times() filled `times`.
void write_jobs_row(std::string& out,
                    std::uint32_t replication,
                    const sim::JobRecord& record,
                    const AlikeFields& alike,
                    const SharedTimes& times);
[[nodiscard]] AlikeFields alike_in_jobs_row(const ExperimentSpec& spec,
                                            const sim::JobRecord& record);
void take_times(SharedTimes& times, const sim::JobRecord& record);

/// Writes what a pod asks for, without resources of which it asks for none: `cpu=16
/// nvidia.com/gpu=1`.
void write_demand(TableRow& row, const sim::Job& job, const core::ResourceSchema& schema);

/// Writes the last columns of pods.csv: the pod's owner and what it asks for.
void write_pod_labels(TableRow& row, const sim::Job& job, const core::ResourceSchema& schema);

/// Whether a pod of the run can lose its place. If so, files count how often each pod did.
[[nodiscard]] bool may_evict(const ExperimentSpec& spec);
/// Writes how often pods lost places for each cause, and the lost work; nothing if no pod can lose
/// its place.
void write_evictions(TableRow& row,
                     const ExperimentSpec& spec,
                     const sim::EvictionCounts& evictions,
                     sim::SimTime lost);

}  // namespace berth::experiments
