#include "schedulers/rounds/run/active_table.hpp"

#include <algorithm>
#include <cstddef>

#include "core/support/assert.hpp"
#include "schedulers/rounds/run/progress.hpp"

namespace berth::sim {

void ActiveTable::add(std::uint32_t number, JobId id) {
    const Job& job = actions_.job(id).job();
    BERTH_ASSERT(ids_.empty() || jobs_.number.back() < number, "numbers grow");
    jobs_.number.push_back(number);
    jobs_.gpus.push_back(static_cast<std::int32_t>(job.size));
    jobs_.speed.push_back(0);
    jobs_.left.push_back(0);
    jobs_.age.emplace_back();
    jobs_.ran.emplace_back();
    jobs_.running.emplace_back();
    ids_.push_back(id);
    submits_.push_back(job.submit);
    is_still_.push_back(false);
}

void ActiveTable::remove(std::uint32_t number) {
    const auto position = static_cast<std::ptrdiff_t>(position_of(number));
    const auto erase = [&](auto& column) { column.erase(column.begin() + position); };
    erase(jobs_.number);
    erase(jobs_.gpus);
    erase(jobs_.speed);
    erase(jobs_.left);
    erase(jobs_.age);
    erase(jobs_.ran);
    erase(jobs_.running);
    erase(ids_);
    erase(submits_);
    erase(is_still_);
}

void ActiveTable::launched(std::uint32_t number) {
    is_still_[position_of(number)] = false;
}

const core::rounds::ActiveJobs& ActiveTable::look() {
    const SimTime now = actions_.now();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        jobs_.age[i] = now - submits_[i];
        if (is_still_[i]) {
            continue;
        }
        const JobState& state = actions_.job(ids_[i]);
        const Progress progress = progress_of(state, now);
        jobs_.speed[i] = progress.speed;
        jobs_.left[i] = progress.left;
        jobs_.ran[i] = progress.ran;
        jobs_.running[i] = progress.running;
        is_still_[i] = !state.runs();
    }
    return jobs_;
}

std::size_t ActiveTable::position_of(std::uint32_t number) const {
    const auto found = std::ranges::lower_bound(jobs_.number, number);
    BERTH_ASSERT(found != jobs_.number.end() && *found == number, "the job is there");
    return static_cast<std::size_t>(found - jobs_.number.begin());
}

}  // namespace berth::sim
