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

/// The indices of a pod's GPUs, in ascending order, joined by `-`; empty: it has none.
[[nodiscard]] std::string gpu_indices(const sim::Grant& grant);
/// Writes the columns of pods.csv about a pod's devices, in a run that allocates them. `grant` may
/// be nullptr: the pod has none.
void write_devices(TableRow& row, sim::DeviceGrant grant);

/// The text of devices.csv: the devices in the machine types, one per row.
[[nodiscard]] std::string devices_csv(const core::Topology& tree);

/// What a pod took from providers: `server-0_numa1:VCPU=2 ss_rack-0:DISK_GB=20`, in the order of
/// the providers. `grant` may be nullptr: the pod took nothing.
[[nodiscard]] std::string provider_names(const sim::ProviderGrant& grant);

/// The text of nodes.csv: the servers before the run begins except those that are left out, with
/// the background and, if wanted, their machine types.
[[nodiscard]] std::string nodes_csv(const core::Ledger& ledger,
                                    const std::vector<core::ServerId>& left_out,
                                    bool with_types);

/// Appends a row of pods.csv for each member of a job, or for its only pod.
void write_pods_rows(std::string& out,
                     const ExperimentSpec& spec,
                     std::uint32_t replication,
                     const sim::JobRecord& record);
/// Does the same for the only pod of a job of a kind that PackedJobs knows. alike_in_pods_row()
/// returned `alike`.
void write_pod_row(std::string& out,
                   const core::Topology& tree,
                   std::uint32_t replication,
                   const sim::JobRecord& record,
                   const AlikeFields& alike,
                   const SharedTimes& times);
[[nodiscard]] AlikeFields alike_in_pods_row(const ExperimentSpec& spec,
                                            const sim::JobRecord& record);

/// Appends a row of evictions.csv for each member that lost its place. The record's stints are
/// those that the eviction ends.
void write_evictions_rows(std::string& out,
                          const ExperimentSpec& spec,
                          std::uint32_t replication,
                          const sim::JobRecord& record,
                          const sim::Eviction& eviction);

}  // namespace berth::experiments
