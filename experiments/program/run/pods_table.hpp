#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/packed_jobs.hpp"
#include "experiments/program/run/table_row.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// The indices of a pod's GPUs, in ascending order, joined by `-`; empty for none.
[[nodiscard]] std::string gpu_indices(const sim::Grant& grant);
/// What pods.csv says of a pod's devices in a run that allocates them; `grant` may be nullptr: a
/// pod that has none.
void write_devices(TableRow& row, sim::DeviceGrant grant);

/// devices.csv: what is inside the machine types, a row a device.
[[nodiscard]] std::string devices_csv(const core::Topology& tree);

/// What a pod took of which providers: `server-0_numa1:VCPU=2 ss_rack-0:DISK_GB=20`, in the order
/// of the providers. `grant` may be nullptr: a pod that has nothing of any.
[[nodiscard]] std::string provider_names(const sim::ProviderGrant& grant);

/// nodes.csv: the servers before the run begins but those that are left out, with the background,
/// and their machine types if wanted.
[[nodiscard]] std::string nodes_csv(const core::Ledger& ledger,
                                    const std::vector<core::ServerId>& left_out,
                                    bool with_types);

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
