#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// What the label of a partition begins with.
inline constexpr std::string_view partition_label = "slurm.partition/";

/// Reads Slurm's nodes, as `scontrol show node` (also with `-o` or `--json`) and `sinfo --json`
/// print them, or as the configuration file of a scheduler has them. Returns them as the NodeList
/// that `kubectl get nodes -o json` would print for the same nodes, so that everything that applies
/// to such a list applies to them.
///
/// The amounts of a node are its effective CPUs, its memory less the part reserved for the system,
/// and the GPUs of its generic resources, whose types, joined with `_`, are the model. Its
/// partitions and features become labels, `slurm.partition/NAME` and `slurm.feature/NAME`, where
/// NAME is its label_part(). A node that is down, or that accepts no jobs, is marked so in the
/// result.
/// Errors: InputError for a text without nodes, for a node without its CPUs, and for nodes that
///         `sinfo --json` shows together although they differ.
[[nodiscard]] core::Value read_slurm_nodes(const std::shared_ptr<const core::SourceText>& source);

/// The name, if a label can have it. Otherwise, it with `_` in place of what a label cannot have,
/// and with eight digits of its digest, so that different names stay different.
[[nodiscard]] std::string label_part(std::string_view name);

/// Whether a text begins like the output of Slurm's programs for nodes.
[[nodiscard]] bool begins_as_slurm_nodes(std::string_view text);

}  // namespace berth::experiments
