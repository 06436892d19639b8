#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "schedulers/slurm/documents/read_configuration.hpp"
#include "schedulers/slurm/run/slurm_settings.hpp"

namespace berth::experiments {

/// What an experiment says about Slurm, as lines of its files.
struct SlurmFiles {
    std::vector<std::vector<SlurmSetting>> conf;
    std::vector<std::vector<SlurmSetting>> gres;
    std::vector<SlurmSetting> accounting;
    std::vector<SlurmSetting> settings;  ///< They count after those of `conf`.
    SlurmVersion version;
};

/// Makes the cluster of a run of these files and the servers. Without lines of nodes, each server
/// is a node, of which each CPU is a core; without partitions, one has all nodes.
/// `not_followed`: gets a sentence for each key that is read and not followed.
///
/// Errors: SlurmFault: a node that is no server, or that has more than its server.
[[nodiscard]] std::shared_ptr<sim::SlurmSettings> slurm_settings_of(
    const SlurmFiles& files, const core::Topology& tree, std::vector<std::string>& not_followed);

}  // namespace berth::experiments
