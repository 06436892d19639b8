#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// The jobs of a run whose records are not written yet: those that have not ended, and those that
/// ended before one that arrived earlier.
///
/// Cost: O(1) amortised; memory for the most jobs that there were at once.
class JobTable {
public:
    /// A job that arrives now.
    JobId add(Job&& job) {
        JobId id{static_cast<std::uint32_t>(states_.size())};
        if (free_.empty()) {
            states_.emplace_back();
        } else {
            id.index = free_.back();
            free_.pop_back();
            states_[id.index] = {};
        }
        JobState& state = states_[id.index];
        state.record.job = std::move(job);
        state.arrival = arrivals_++;
        order_.push_back(id);
        return id;
    }
    [[nodiscard]] JobState& operator[](JobId id) { return states_[id.index]; }
    [[nodiscard]] const JobState& operator[](JobId id) const { return states_[id.index]; }
    [[nodiscard]] std::uint64_t arrivals() const { return arrivals_; }
    /// In the order of arrival.
    [[nodiscard]] const std::deque<JobId>& in_order() const { return order_; }

    /// Takes out what has ended, up to the first job that has not, and calls `write` with each.
    template <class Write>
    void take_ended(Write write) {
        while (!order_.empty() && states_[order_.front().index].ended()) {
            const JobId id = order_.front();
            write(states_[id.index]);
            order_.pop_front();
            free_.push_back(id.index);
        }
    }

private:
    std::deque<JobState> states_;
    std::vector<std::uint32_t> free_;
    std::deque<JobId> order_;
    std::uint64_t arrivals_ = 0;
};

}  // namespace berth::sim
