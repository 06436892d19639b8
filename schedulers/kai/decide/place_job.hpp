#pragma once

#include "schedulers/kai/decide/statement.hpp"

namespace berth::core::kai {

/// Places the pods of a job that come next, all or none, on some nodes.
///
/// `only_waits`: in a simulation: pods only wait for their places, and those whose eviction is only
///               simulated are placed as well.
/// Returns:      false if not all have a place, or if a limit or a quota forbids it; then nothing
///               has changed.
bool place_job(
    Session& session, Statement& statement, const NodeSet& nodes, Job& job, bool only_waits);

}  // namespace berth::core::kai
