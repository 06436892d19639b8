#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// The row of one job in jobs.csv, with its newline.
[[nodiscard]] std::string jobs_row(const ExperimentSpec& spec,
                                   std::uint32_t replication,
                                   const sim::JobRecord& record);

/// The last columns of pods.csv, which say whose a pod is and what it asks for, with a leading
/// comma.
[[nodiscard]] std::string pod_label_columns(const sim::Job& job,
                                            const core::ResourceSchema& schema);

/// Whether a pod of the run can lose its place; then files count how often each did.
[[nodiscard]] bool may_evict(const ExperimentSpec& spec);
/// How often for each cause, and the work lost to that, with a leading comma; empty where no pod
/// can lose its place.
[[nodiscard]] std::string eviction_columns(const ExperimentSpec& spec,
                                           const sim::EvictionCounts& evictions,
                                           sim::SimTime lost);

/// An amount in whole cores, GPUs, bytes, ... as a plain number.
[[nodiscard]] std::string plain_amount(core::Amount amount,
                                       std::size_t resource,
                                       const core::ResourceSchema& schema);

}  // namespace berth::experiments
