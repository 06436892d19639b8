#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/huge_pages.hpp"
#include "core/support/stable_blocks.hpp"
#include "sim/job/by_job.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// The jobs of a run that have not ended.
///
/// Order:  an id is given again once its job and all jobs that arrived before it have ended, so
///         that ids name the same jobs in the same order however states are kept.
/// Cost:   O(1) amortised. Memory for as many states as there were jobs at once, and 4 bytes for
///         each job that ended before one that arrived earlier.
class JobTable {
public:
    JobTable() { ended_.phase = JobPhase::ended; }

    /// Adds a job that arrives now.
    JobId add(Job&& job) {
        JobId id{ids_};
        if (free_ids_.empty()) {
            ++ids_;
        } else {
            id.index = free_ids_.back();
            free_ids_.pop_back();
        }
        JobState& state = free_state();
        state.record.job = std::move(job);
        state.record.arrival = arrivals_++;
        states_of_.add(id, &state);
        order_.push_back(id);
        return id;
    }
    [[nodiscard]] JobState& operator[](JobId id) { return *states_of_[id]; }
    /// For a job that has ended, nothing is known except that it has ended.
    [[nodiscard]] const JobState& operator[](JobId id) const {
        JobState* const* const state = states_of_.find(id);
        return state != nullptr && *state != nullptr ? **state : ended_;
    }
    [[nodiscard]] std::uint64_t arrivals() const { return arrivals_; }
    /// Has the processor fetch the entry that fetch() will read, for a job that has not ended.
    [[gnu::always_inline]] void fetch_place(JobId id) const { states_of_.fetch(id); }
    /// Has the processor fetch what is known of a job: where there are more jobs than its caches
    /// hold, an event would begin by waiting for that. Always inline: g++ considers a function that
    /// only fetches to have no effect, and leaves out the call.
    [[gnu::always_inline]] void fetch(JobId id) const {
        const char* const state = reinterpret_cast<const char*>(&(*this)[id]);
        for (std::size_t at = 0; at < sizeof(JobState); at += core::cache_line) {
            __builtin_prefetch(state + at);
        }
    }
    /// All jobs have ended: gives back the memory of the states.
    void free_states() {
        BERTH_ASSERT(order_.empty(), "nobody has a state any more");
        free_states_ = {};
        states_.clear();
    }

    /// Calls `visit` with the id of each job that has not ended, in the order of arrival.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const JobId id : order_) {
            if (!std::as_const(*this)[id].ended()) {
                visit(id);
            }
        }
    }

    /// Takes out a job that has ended. References to its state are valid until the next job
    /// arrives.
    void remove(JobId id) {
        BERTH_ASSERT((*this)[id].ended(), "whoever is taken out has ended");
        free_states_.push_back(&(*this)[id]);
        states_of_[id] = nullptr;
        states_of_.remove(id);
        while (!order_.empty() && std::as_const(*this)[order_.front()].ended()) {
            free_ids_.push_back(order_.front().index);
            order_.pop_front();
        }
    }

private:
    [[nodiscard]] JobState& free_state() {
        if (free_states_.empty()) {
            return states_.add();
        }
        JobState* const state = free_states_.back();
        free_states_.pop_back();
        std::destroy_at(state);
        return *std::construct_at(state);
    }

    core::StableBlocks<JobState> states_;
    std::vector<JobState*> free_states_;
    ByJob<JobState*> states_of_;
    JobState ended_;  ///< The state of every job that has ended.
    std::vector<std::uint32_t> free_ids_;
    std::deque<JobId> order_;  ///< Ids by arrival, from the first job that has not ended.
    std::uint32_t ids_ = 0;    ///< Number of ids that were ever given.
    std::uint64_t arrivals_ = 0;
};

}  // namespace berth::sim
