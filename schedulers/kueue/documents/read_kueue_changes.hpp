#pragma once

#include "core/support/value.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {

/// Reads `scheduler.kueue.changes`, `[{at: 2h, objects: [...]}, ...]`: ClusterQueues, Cohorts and
/// LocalQueues that replace those of the same names during a run.
///
/// `settings`: has all objects at the beginning of the run; it receives the changes, sorted by
/// time.
/// Errors: recorded at their places for other kinds, queues that did not exist before, a LocalQueue
///         that moves, and what Kueue's webhooks refuse.
void read_kueue_changes(const core::Value& list,
                        sim::KueueSettings& settings,
                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
