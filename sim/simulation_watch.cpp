/// What a run tells of one job whose turns somebody wants to see.

#include "sim/simulation.hpp"

namespace berth::sim {

void Simulation::watch(std::uint64_t arrival, JobObserver& observer) {
    watched_ = {arrival, &observer, std::nullopt, std::nullopt, false, false};
}

/// The watched job, if it waits.
const Simulation::State* Simulation::watched_state() const {
    if (!watched_ || !watched_->index) {
        return nullptr;
    }
    const State& state = states_[*watched_->index];  // that of another once the job's is written
    const bool waits = state.arrival == watched_->arrival && !state.ended && !state.record.start;
    return waits ? &state : nullptr;
}

void Simulation::watch_cycle() {
    if (watched_) {
        watched_->asked = false;
        watched_->told = false;
    }
}

/// Somebody is about to be tried, or, without a number, nobody any more in this cycle.
void Simulation::watch_turn(std::optional<std::uint32_t> next, const Job* held_up_by) {
    const State* state = watched_state();
    if (state == nullptr || watched_->told) {
        return;
    }
    const Job& job = state->record.job;
    // One that comes when others like it were refused is told of that, though nobody asks again.
    // A quota that was held back may be woken in the middle of a cycle.
    watched_->asked = watched_->asked || watched_->entry != state->queued.number ||
                      waiting_.may_be_tried(job, state->quota);
    const auto key_of = [&](const State& other) {
        return waiting_.in_order(other.quota, other.queued);
    };
    if (!watched_->asked || (next && key_of(states_[*next]) < key_of(*state))) {
        return;
    }
    watched_->told = true;
    watched_->entry = state->queued.number;
    tell_turn(*state, held_up_by);
}

void Simulation::tell_turn(const State& state, const Job* held_up_by) {
    const Turn turn{now_,
                    state.record,
                    state.quota,
                    held_up_by,
                    settings_,
                    ledger_,
                    cluster_,
                    placer_,
                    quotas_ ? &*quotas_ : nullptr,
                    [this](const Turn::Visit& visit) {
                        for (const std::uint32_t index : unwritten_) {
                            const State& other = states_[index];
                            if (!other.ended && other.record.start) {
                                visit(other.record, other.quota);
                            }
                        }
                    },
                    [this, &state] {
                        std::vector<std::string> names;
                        for (const WaitingQueue::Place& place : waiting_.in_order()) {
                            if (place.key.number == state.queued.number) {
                                break;
                            }
                            names.push_back(states_[place.job].record.job.name);
                        }
                        return names;
                    }};
    watched_->observer->turn(turn);
}

}  // namespace berth::sim
