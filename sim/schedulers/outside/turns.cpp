#include "sim/schedulers/outside/turns.hpp"

#include <fmt/format.h>

#include "core/support/assert.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::sim {

void Turns::ask(SimTime at) {
    constexpr std::uint32_t at_once_max = 10'000;
    asked_at_once_ += at > actions_.now() ? 0 : 1;
    if (asked_at_once_ > at_once_max) {
        throw SchedulerError(
            fmt::format("at {} s: the scheduler asked for another turn {} times "
                        "while no time went by: expected a time to come",
                        format_seconds(actions_.now()),
                        at_once_max));
    }
    request(at, true);
}

void Turns::request(SimTime at, bool asked) {
    if (at > actions_.now() && !actions_.more_to_come()) {
        return;  // the run would go on until then for nothing
    }
    bool& known = times_.try_emplace(at, false).first->second;
    known = known || asked;
    arm();
}

void Turns::all_have_ended() {
    times_.erase(times_.upper_bound(actions_.now()), times_.end());
    if (rings_at_ && *rings_at_ > actions_.now()) {
        actions_.call_off(Timer::third);
        rings_at_.reset();
    }
}

void Turns::arm() {
    if (times_.empty() || (rings_at_ && *rings_at_ <= times_.begin()->first)) {
        return;
    }
    if (rings_at_) {
        actions_.call_off(Timer::third);
    }
    rings_at_ = times_.begin()->first;
    actions_.wake(*rings_at_, Timer::third);
}

bool Turns::begin() {
    BERTH_ASSERT(rings_at_ == actions_.now() && !times_.empty(), "a turn comes when it is due");
    const auto turn = times_.extract(times_.begin());
    BERTH_ASSERT(turn.key() == actions_.now(), "turns come in the order of time");
    rings_at_.reset();
    if (last_ != actions_.now()) {
        asked_at_once_ = 0;
    }
    last_ = actions_.now();
    arm();
    return turn.mapped();
}

}  // namespace berth::sim
