#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// A node was out. Times are since 1970.
struct NodeOutage {
    sim::SimTime from{};
    std::optional<sim::SimTime> to;  ///< Nothing: it was out when the events were listed.
    std::string node;
    std::string cause;
    core::SourceSpan told;  ///< The node's name, in the text.
};

/// What a cluster's own tools recorded of its nodes: `sacctmgr -P show event` of Slurm, whose
/// states DOWN and FAIL are failures, and `kubectl get events -A -o json`, where a node that is not
/// ready has failed until it is. Drains, maintenance and reboots are left out.
/// Returns: by time, and each node out once at a time; nothing if the text is neither of them.
/// Errors: InputError: a time that is none; no failure in the whole text.
[[nodiscard]] std::optional<std::vector<NodeOutage>> read_node_events(
    const std::shared_ptr<const core::SourceText>& text);

/// The date at which the run begins.
/// Errors: InputError if it is none.
[[nodiscard]] sim::SimTime read_zero(const core::Value& zero);

}  // namespace berth::experiments
