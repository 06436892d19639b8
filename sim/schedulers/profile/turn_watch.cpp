#include "sim/schedulers/profile/turn_watch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace berth::sim {

TurnWatch::TurnWatch(const Settings& settings,
                     const Actions& actions,
                     Placer& placer,
                     Admission& admission,
                     WaitingQueue& queue,
                     OwnJobs& jobs)
    : settings_(settings),
      actions_(actions),
      placer_(placer),
      admission_(admission),
      queue_(queue),
      jobs_(jobs) {}

void TurnWatch::watch(std::uint64_t arrival, JobObserver& observer) {
    arrival_ = arrival;
    observer_ = &observer;
}

void TurnWatch::submitted(JobId id) {
    if (observer_ != nullptr && actions_.job(id).record.arrival == arrival_) {
        id_ = id;
    }
}

/// The watched job, if it waits.
const JobState* TurnWatch::watched() const {
    if (!id_) {
        return nullptr;
    }
    const JobState& state = actions_.job(*id_);  // another job's once this one's record is written
    return state.record.arrival == arrival_ && state.waits() ? &state : nullptr;
}

void TurnWatch::begin_cycle() {
    asked_ = false;
    told_ = false;
}

void TurnWatch::turn(std::optional<JobId> next, const Job* held_up_by) {
    const JobState* state = watched();
    if (state == nullptr || told_) {
        return;
    }
    if (!admission_.lets_in(*id_)) {
        return;
    }
    kept_out_ = {};
    const OwnJob& own = jobs_[*id_];
    // A job that arrives when others like it were refused has a turn, although it is not tried. A
    // quota that was held back may be woken in the middle of a cycle.
    asked_ = asked_ || entry_ != own.queued.number || queue_.may_be_tried(state->job(), own.owner);
    const auto key_of = [&](JobId id) {
        const OwnJob& other = jobs_[id];
        return queue_.in_order(other.owner, other.queued);
    };
    if (!asked_ || (next && key_of(*next) < key_of(*id_))) {
        return;
    }
    told_ = true;
    entry_ = own.queued.number;
    tell(*state, held_up_by);
}

void TurnWatch::event_handled() {
    const JobState* state = watched();
    if (state == nullptr || admission_.lets_in(*id_) || !admission_.has_decided()) {
        return;
    }
    KeptOut kept_out = admission_.kept_out(*id_);
    if (kept_out != kept_out_) {
        kept_out_ = std::move(kept_out);
        tell(*state, nullptr);
    }
}

void TurnWatch::tell(const JobState& state, const Job* held_up_by) {
    const auto each_running = [this](const Turn::Visit& visit) {
        actions_.each_job([&](JobId id) {
            if (actions_.job(id).runs()) {
                visit(actions_.job(id).record, jobs_[id].owner);
            }
        });
    };
    const auto waiting_before = [this] {
        std::vector<std::string> names;
        if (!admission_.lets_in(*id_)) {
            return names;  // it stands in another queue
        }
        for (const WaitingQueue::Place& place : queue_.in_order()) {
            if (place.key.number == jobs_[*id_].queued.number) {
                break;
            }
            names.push_back(actions_.job({place.job}).job().name);
        }
        return names;
    };
    observer_->turn({actions_.now(),
                     state.record,
                     jobs_[*id_].owner,
                     held_up_by,
                     settings_,
                     actions_.cluster().ledger(),
                     actions_.cluster(),
                     placer_,
                     admission_.quotas(),
                     kept_out_.reason,
                     kept_out_.by,
                     false,
                     each_running,
                     waiting_before,
                     [this] { return admission_.inquire(*id_); }});
}

}  // namespace berth::sim
