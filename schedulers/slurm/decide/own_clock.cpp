#include "schedulers/slurm/decide/own_clock.hpp"

#include <algorithm>

namespace berth::core::slurm {
namespace {

constexpr Milliseconds step = 100;
constexpr Milliseconds tick = 1000;

/// The first of `from`, `from + period`, ... that is not before `least`.
Milliseconds first_from(Milliseconds from, Milliseconds period, Milliseconds least) {
    return least <= from ? from : from + (least - from + period - 1) / period * period;
}

}  // namespace

OwnClock::OwnClock(const Clocks& clocks, Milliseconds begin)
    : delay_(clocks.batch_sched_delay_s * 1000),
      full_interval_(clocks.sched_interval_s * 1000),
      backfill_interval_(clocks.bf_interval_s * 1000),
      defers_(clocks.defer),
      begin_(begin),
      last_main_(begin - delay_),
      next_full_(begin + full_interval_),
      next_backfill_(begin + backfill_interval_) {}

std::optional<Pass> OwnClock::main_pass(Milliseconds at, std::int64_t changes, bool is_back) {
    const bool is_tick = (at - begin_) % tick == 0;
    const bool is_full = is_tick && at >= next_full_;
    const bool is_due = is_tick && changes != seen_by_main_ && at >= last_main_ + delay_;
    if (!is_full && !is_due && !(is_back && !defers_)) {
        return std::nullopt;
    }
    last_main_ = at;
    next_full_ = is_full ? at + full_interval_ : next_full_;
    return is_full ? Pass::main_full : Pass::main;
}

bool OwnClock::backfill_is_due(Milliseconds at, std::int64_t changes) {
    if (at != next_backfill_) {
        return false;
    }
    const bool has_changed = changes != seen_by_backfill_;
    next_backfill_ = at + (has_changed ? backfill_interval_ : tick);
    return has_changed;
}

void OwnClock::passed(Pass kind, std::int64_t changes) {
    if (kind == Pass::backfill) {
        seen_by_backfill_ = changes;
        return;
    }
    seen_by_main_ = changes;
    seen_by_full_ = kind == Pass::main_full ? changes : seen_by_full_;
}

Milliseconds OwnClock::step_of(Milliseconds at, Milliseconds event) const {
    return std::max(at + step, first_from(begin_, step, event));
}

std::optional<Milliseconds> OwnClock::next_pass(Milliseconds at, std::int64_t changes) const {
    std::optional<Milliseconds> next;
    const auto comes = [&](Milliseconds pass) { next = std::min(next.value_or(pass), pass); };
    if (changes != seen_by_main_) {
        comes(first_from(begin_, tick, std::max(at + step, last_main_ + delay_)));
    }
    if (changes != seen_by_backfill_) {
        comes(next_backfill_);
    }
    if (changes != seen_by_full_) {
        comes(next_full_);
    }
    return next;
}

void OwnClock::go_to(Milliseconds next, std::int64_t changes) {
    if (changes == seen_by_backfill_) {
        next_backfill_ = first_from(next_backfill_, tick, next);
    }
    // Full passes that would see nothing new are left out, but the next pass keeps its distance.
    if (next_full_ < next) {
        const Milliseconds following = first_from(next_full_, full_interval_, next);
        last_main_ = std::max(last_main_, following - full_interval_);
        next_full_ = following;
    }
}

}  // namespace berth::core::slurm
