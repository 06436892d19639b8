#pragma once

#include <optional>

#include "schedulers/slurm/requests/slurm_request.hpp"

namespace berth::experiments {

/// When the loops of a controller pass if nothing is recorded. `changes` counts those of jobs.
///
/// The main loop passes at ticks of a second after a change, at once when nodes come back, and in
/// full each sched_interval. Backfill passes bf_interval after its last pass if something changed
/// since, or else at the second of the next change.
class OwnClock {
public:
    OwnClock(const SlurmClocks& clocks, Milliseconds begin);

    /// Whether and how the main loop passes now. `is_back`: nodes came back.
    [[nodiscard]] std::optional<Pass> main_pass(Milliseconds at,
                                                std::int64_t changes,
                                                bool is_back);
    [[nodiscard]] bool backfill_is_due(Milliseconds at, std::int64_t changes);
    /// A pass has left this number of changes.
    void passed(Pass kind, std::int64_t changes);
    /// Priorities have changed, which only the next full pass looks at.
    void reorder() { seen_by_full_ = -1; }
    /// The next instant at which something may happen; `event`: when the next change comes that no
    /// pass makes.
    [[nodiscard]] Milliseconds next(Milliseconds at, std::int64_t changes, Milliseconds event);

private:
    Milliseconds delay_;
    Milliseconds full_interval_;
    Milliseconds backfill_interval_;
    bool defers_;
    Milliseconds begin_;
    Milliseconds last_main_;
    Milliseconds next_full_;
    Milliseconds next_backfill_;
    std::int64_t seen_by_main_ = 0;
    std::int64_t seen_by_full_ = 0;
    std::int64_t seen_by_backfill_ = 0;
};

}  // namespace berth::experiments
