#pragma once

#include "core/support/value.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {

/// Reads `scheduler.kueue.changes`, `[{at: 2h, objects: [...]}, ...]`: ClusterQueues, Cohorts and
/// LocalQueues that take the place of those of their names in a run.
///
/// `settings`: with all objects of the run's beginning; it gets the changes, by time.
/// Errors: recorded at their places: other kinds, queues that there were not before, a LocalQueue
///         that moves, and what Kueue's webhooks refuse.
void read_kueue_changes(const core::Value& list,
                        sim::KueueSettings& settings,
                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
