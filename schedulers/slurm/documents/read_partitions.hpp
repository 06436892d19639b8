#pragma once

#include <vector>

#include "schedulers/slurm/documents/conf_file.hpp"

namespace berth::experiments {

/// The partitions of lines that begin with PartitionName. `PartitionName=DEFAULT` gives defaults to
/// the lines after it.
///
/// Errors: SlurmFault: a name that comes twice, a node that the cluster does not have.
[[nodiscard]] std::vector<core::slurm::Partition> read_partitions(
    const std::vector<ConfLine>& lines,
    const std::vector<core::slurm::Node>& nodes,
    std::vector<std::string>& not_followed);

}  // namespace berth::experiments
