#include "sim/job/training.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t second = 1'000'000'000;

std::int64_t divided_up(std::int64_t number, std::int64_t by) {
    return number / by + (number % by != 0 ? 1 : 0);
}

}  // namespace

SimTime time_for_steps(MicroSteps steps, MicroSteps speed) {
    BERTH_ASSERT(speed > 0 && steps >= 0, "steps are done at some speed");
    const Wide time = (Wide{steps} * second + speed - 1) / speed;
    return time < never.count() ? SimTime(static_cast<std::int64_t>(time)) : never;
}

MicroSteps steps_in(SimTime time, MicroSteps speed) {
    return static_cast<MicroSteps>(Wide{time.count()} * speed / second);
}

MicroSteps ModelSpeeds::find(const SpeedKey& key) const {
    // From the row that says most to the one that says least.
    for (const bool together : {key.together, true}) {
        for (const std::string& type : {key.machine_type, std::string()}) {
            const auto row = rows_.find({key.batch_size, key.gpus, type, together});
            if (row != rows_.end()) {
                return row->second;
            }
        }
    }
    return 0;
}

Training::Training(std::shared_ptr<const TrainingPlan> plan)
    : plan_(std::move(plan)),
      total_(plan_->steps * one_step),
      batch_size_(plan_->batch_size),
      speed_(usual_speed(batch_size_)) {}

MicroSteps Training::usual_speed(std::int64_t batch_size) const {
    return plan_->speeds->find({batch_size, plan_->gpus, plan_->usual_machine_type, true});
}

void Training::begin_lease(MicroSteps speed) {
    BERTH_ASSERT(speed > 0, "a job has a speed wherever it may run");
    speed_ = speed;
    ++launches_;
}

std::size_t Training::next_change() const {
    const auto next = std::ranges::find_if(plan_->changes, [&](const BatchChange& change) {
        return change.epoch > epoch_ && change.batch_size != batch_size_;
    });
    return static_cast<std::size_t>(next - plan_->changes.begin());
}

MicroSteps Training::pass() const {
    return divided_up(plan_->samples, batch_size_) * one_step;
}

SimTime Training::time_of_lease() const {
    MicroSteps steps = left();
    if (const std::size_t next = next_change(); next < plan_->changes.size()) {
        const std::int64_t passes = plan_->changes[next].epoch - epoch_;
        // A change after more passes than there are steps never comes.
        steps = passes <= steps / pass() ? std::min(steps, passes * pass()) : steps;
    }
    const SimTime time = time_for_steps(steps, speed_);
    return plan_->limit ? std::clamp(*plan_->limit - trained_, SimTime(0), time) : time;
}

void Training::end_lease(SimTime time) {
    const SimTime most = time_of_lease();
    BERTH_ASSERT(time <= most, "a lease ends by itself at the latest when its work is done");
    const SimTime counted = most - time <= SimTime(1) ? most : time;
    trained_ += counted;
    MicroSteps steps = steps_in(counted, speed_);
    const std::size_t next = next_change();
    if (plan_->samples > 0) {
        const std::int64_t before = epoch_;
        epoch_ += steps / pass();
        // Rounded to nanoseconds, the time for whole passes may be that for a little more.
        if (next < plan_->changes.size() && epoch_ >= plan_->changes[next].epoch) {
            epoch_ = plan_->changes[next].epoch;
            steps = std::min(steps, (epoch_ - before) * pass());
        }
    }
    done_ = std::min(done_ + steps, total_);
    if (!is_done() && next < plan_->changes.size() && epoch_ == plan_->changes[next].epoch) {
        change_batch_size(plan_->changes[next].batch_size);
    }
}

/// The number of epochs stays what it was, and passes that have begun count as done.
void Training::change_batch_size(std::int64_t batch_size) {
    const MicroSteps old_pass = pass();
    const std::int64_t epochs = divided_up(total_, old_pass);
    const Wide samples = Wide{total_ / one_step} * batch_size_;
    batch_size_ = batch_size;
    const Wide steps = (samples + batch_size - 1) / batch_size;
    total_ = static_cast<MicroSteps>(steps) * one_step;
    if (divided_up(total_, pass()) != epochs) {
        total_ = epochs * pass();
    }
    done_ = divided_up(done_, old_pass) * pass();
    speed_ = usual_speed(batch_size_);
}

SimTime Training::time_left() const {
    Training imagined = *this;
    SimTime sum{};
    while (!imagined.is_done() && !imagined.is_at_limit()) {
        const SimTime lease = imagined.time_of_lease();
        if (lease >= never - sum) {
            return never;
        }
        sum += lease;
        imagined.end_lease(lease);
    }
    return sum;
}

}  // namespace berth::sim
