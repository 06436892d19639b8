#pragma once

#include <cstdint>
#include <optional>

#include "schedulers/slurm/decide/objects.hpp"

namespace berth::core::slurm {

using Milliseconds = std::int64_t;

/// How often the two loops pass, and other things that clocks of the controller tell.
struct Clocks {
    std::int64_t batch_sched_delay_s = 3;
    std::int64_t sched_interval_s = 60;
    std::int64_t bf_interval_s = 30;
    std::int64_t priority_period_min = 5;
    std::int64_t over_time_min = 0;
    bool defer = false;
};

enum class Pass : std::uint8_t { main, main_full, backfill };

/// When the loops of a controller pass if nothing is recorded. `changes` counts those of jobs.
///
/// The main loop passes at ticks of a second after a change, at once when nodes come back, and in
/// full each sched_interval. Backfill passes bf_interval after its last pass if something changed
/// since, or else at the second of the next change.
class OwnClock {
public:
    OwnClock(const Clocks& clocks, Milliseconds begin);

    /// Whether and how the main loop passes now. `is_back`: nodes came back.
    [[nodiscard]] std::optional<Pass> main_pass(Milliseconds at,
                                                std::int64_t changes,
                                                bool is_back);
    [[nodiscard]] bool backfill_is_due(Milliseconds at, std::int64_t changes);
    /// A pass has left this number of changes.
    void passed(Pass kind, std::int64_t changes);
    /// Priorities have changed, which only the next full pass looks at.
    void reorder() { seen_by_full_ = -1; }
    /// The step after `at` at which a change is noticed that comes at `event`.
    [[nodiscard]] Milliseconds step_of(Milliseconds at, Milliseconds event) const;
    /// When the next pass comes if nothing changes after `at`; nothing if none does.
    [[nodiscard]] std::optional<Milliseconds> next_pass(Milliseconds at,
                                                        std::int64_t changes) const;
    /// Goes on to the step `next`, which is no later than that pass.
    void go_to(Milliseconds next, std::int64_t changes);

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

}  // namespace berth::core::slurm
