#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/slurm/documents/conf_file.hpp"

namespace berth::experiments {

/// The nodes of a request.
/// Errors: RequestError, SlurmFault: a name that comes twice, more than 64 GPUs on a node.
[[nodiscard]] std::vector<core::slurm::Node> read_nodes(const RequestField& nodes);

/// The nodes of the lines of slurm.conf that begin with NodeName, with the GPUs of gres.conf.
/// `NodeName=DEFAULT` gives defaults to the lines after it. Nodes that are FUTURE are left out.
///
/// Errors: SlurmFault: a name that comes twice, CPUs that contradict sockets, cores and threads,
///         GPUs of gres.conf whose node or number slurm.conf does not know.
[[nodiscard]] std::vector<core::slurm::Node> nodes_of_conf(const std::vector<ConfLine>& conf,
                                                           const std::vector<ConfLine>& gres);

/// The features of nodes of the same lines, by the name of the node, with commas between them.
[[nodiscard]] std::map<std::string, std::string> features_of_conf(
    const std::vector<ConfLine>& conf);

}  // namespace berth::experiments
