#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::core::rounds {

/// What policies of ticks know about a job.
struct TickJob {
    std::int32_t gpus = 0;
    std::int32_t launches = 0;
    std::chrono::nanoseconds submit{};
    std::int64_t speed = 0;            ///< What is believed, in millionths of a step a second.
    std::int64_t left = 0;             ///< The work that is left, in millionths of a step.
    std::chrono::nanoseconds ran{};    ///< Its time at its places before the last decision.
    std::chrono::nanoseconds since{};  ///< When it was launched last.
    bool runs = false;                 ///< Whether it has places since then.

    [[nodiscard]] std::chrono::nanoseconds ran_until(std::chrono::nanoseconds now) const {
        return runs ? ran + (now - since) : ran;
    }
};

using TickSlot = std::uint32_t;

/// The jobs that have come and not ended, by slots, which others get later.
class TickJobs {
public:
    TickSlot add(const TickJob& job) {
        if (free_.empty()) {
            jobs_.push_back(job);
            ended_.push_back(false);
            return static_cast<TickSlot>(jobs_.size() - 1);
        }
        const TickSlot slot = free_.back();
        free_.pop_back();
        jobs_[slot] = job;
        ended_[slot] = false;
        return slot;
    }
    /// The job has ended, and no longer runs.
    void end(TickSlot slot) {
        jobs_[slot].runs = false;
        ended_[slot] = true;
    }
    [[nodiscard]] bool has_ended(TickSlot slot) const { return ended_[slot]; }
    /// The slot of a job that has ended, and that no list has any more, is free for another.
    void remove(TickSlot slot) {
        BERTH_ASSERT(ended_[slot], "who leaves has ended");
        free_.push_back(slot);
    }
    [[nodiscard]] TickJob& operator[](TickSlot slot) { return jobs_[slot]; }
    [[nodiscard]] const TickJob& operator[](TickSlot slot) const { return jobs_[slot]; }

private:
    std::vector<TickJob> jobs_;
    std::vector<bool>
        ended_;  ///< Whether the job in each slot has ended: each decision asks this of all jobs.
    std::vector<TickSlot> free_;
};

}  // namespace berth::core::rounds
