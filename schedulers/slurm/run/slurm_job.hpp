#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/tree/resources.hpp"
#include "schedulers/slurm/decide/node_choice.hpp"
#include "schedulers/slurm/run/slurm_settings.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// The jobs of a run as they are submitted to Slurm.
///
/// Its partition is the one that its queue names, or else the default one. Its account is the one
/// that its queue names, or else the first one of its user. Its members have a node each, or are
/// tasks, as the settings say. Amounts are rounded up to whole CPUs and MiB. Its time limit is its
/// estimate, rounded up to minutes, or else what the partition says.
class SlurmJobs {
public:
    /// Both outlive it.
    SlurmJobs(const SlurmSettings& settings, const core::ResourceSchema& resources)
        : settings_(settings), resources_(resources) {}

    /// Returns: the job, or why it is refused.
    [[nodiscard]] std::variant<core::slurm::Job, std::string> submit(const Job& job);

private:
    const SlurmSettings& settings_;
    const core::ResourceSchema& resources_;
    /// By the text of what selects them.
    std::map<std::string, std::shared_ptr<const core::slurm::NodeSet>, std::less<>> allowed_;
};

/// The nodes of a job that runs already, with its CPUs on each; nothing if a server is no node.
/// `servers`: that of each member.
[[nodiscard]] std::optional<std::vector<core::slurm::ChosenNode>> nodes_of_members(
    const std::vector<core::ServerId>& servers,
    const SlurmSettings& settings,
    const core::slurm::Job& job);

/// The place of a job's partition.
[[nodiscard]] std::size_t partition_of(const Job& job, const core::slurm::Cluster& cluster);

}  // namespace berth::sim
