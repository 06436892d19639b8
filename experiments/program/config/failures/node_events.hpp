#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// What a cluster's own tools recorded of its nodes, as the table that read_failure_file() reads:
/// `sacctmgr -P show event` of Slurm, whose states DOWN and FAIL are failures, and `kubectl get
/// events -A -o json`, where a node that is not ready has failed until it is. Drains, maintenance
/// and reboots are left out, and so is what was over before `zero`, the date at which the run
/// begins.
/// Returns: nothing if the text is neither of them.
/// Errors: InputError: no `zero`, or no date; a time that is none; no failure in the whole text.
[[nodiscard]] std::optional<std::string> failures_of_node_events(
    const std::shared_ptr<const core::SourceText>& text, const core::Value* zero);

}  // namespace berth::experiments
