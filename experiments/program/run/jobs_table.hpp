#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/packed_jobs.hpp"
#include "experiments/program/run/table_row.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// Writes the row of a group in groups.csv at the end of a text, with its newline.
void write_groups_row(std::string& out,
                      const ExperimentSpec& spec,
                      std::uint32_t replication,
                      const sim::JobRecord& record);

/// Writes the row of one job in jobs.csv at the end of a text, with its newline.
void write_jobs_row(std::string& out,
                    const ExperimentSpec& spec,
                    std::uint32_t replication,
                    const sim::JobRecord& record);
/// The same for a job of a kind that PackedJobs knows, of which alike_in_jobs_row() gave `alike`
/// and take_times() took `times`.
void write_jobs_row(std::string& out,
                    std::uint32_t replication,
                    const sim::JobRecord& record,
                    const AlikeFields& alike,
                    const SharedTimes& times);
[[nodiscard]] AlikeFields alike_in_jobs_row(const ExperimentSpec& spec,
                                            const sim::JobRecord& record);
void take_times(SharedTimes& times, const sim::JobRecord& record);

/// What a pod asks for, of each resource of which that is something: `cpu=16 nvidia.com/gpu=1`.
void write_demand(TableRow& row, const sim::Job& job, const core::ResourceSchema& schema);

/// The last columns of pods.csv, which say whose a pod is and what it asks for.
void write_pod_labels(TableRow& row, const sim::Job& job, const core::ResourceSchema& schema);

/// Whether a pod of the run can lose its place; then files count how often each did.
[[nodiscard]] bool may_evict(const ExperimentSpec& spec);
/// How often for each cause, and the work lost to that; nothing where no pod can lose its place.
void write_evictions(TableRow& row,
                     const ExperimentSpec& spec,
                     const sim::EvictionCounts& evictions,
                     sim::SimTime lost);

}  // namespace berth::experiments
