#pragma once

#include <optional>
#include <string>

#include "core/support/source.hpp"

namespace berth::experiments {

/// The nodes of a slurm.conf as `scontrol show node -o` prints them, for a cluster that is made of
/// the file; nothing if the text has no line that says which hardware nodes have, or if scontrol
/// itself wrote it.
/// Errors: InputError, with the line.
[[nodiscard]] std::optional<std::string> records_of_conf(const core::SourceText& text);

}  // namespace berth::experiments
