#pragma once

#include <memory>
#include <string_view>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// Reads Slurm's nodes, as `scontrol show node` prints them, also with `-o` or `--json`, and
/// `sinfo --json`, and returns them as the NodeList that `kubectl get nodes -o json` would print of
/// the same nodes, so that all that is known of such a list holds for them too.
///
/// Its amounts are a node's effective CPUs, its memory less what is set apart for the system, and
/// the GPUs of its generic resources, whose types, with `+` between, are the model. Its partitions
/// and features are labels, `slurm.partition/NAME` and `slurm.feature/NAME`. A node that is down,
/// or that takes no jobs, is so.
/// Errors: InputError: no nodes, a node without its CPUs.
[[nodiscard]] core::Value read_slurm_nodes(const std::shared_ptr<const core::SourceText>& source);

/// Whether a text begins as what Slurm's programs print of nodes.
[[nodiscard]] bool begins_as_slurm_nodes(std::string_view text);

}  // namespace berth::experiments
