#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/stable_blocks.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// A value for each job that has not ended, by the job's id. An id stays taken as long as a job
/// that arrived earlier goes on; so values are kept in pages, and a page is free for other jobs
/// when its last job has ended.
///
/// Cost: O(1); memory for as many pages of `page_size` values as were in use at once, and 16 bytes
///       for each page number.
template <class Value>
class ByJob {
public:
    void add(JobId id, Value value = {}) {
        const std::size_t number = id.index / page_size;
        if (number >= pages_.size()) {
            pages_.resize(number + 1);
        }
        Page& page = pages_[number];
        if (page.values == nullptr) {
            page.values = &free_values();
        }
        ++page.jobs;
        (*this)[id] = std::move(value);
    }
    /// The job has ended. Its value stays as it is, so that ending a job does not wait for memory
    /// only to overwrite what is not read again: code whose values hold memory, or that calls
    /// find() later, clears the value first.
    void remove(JobId id) {
        Page& page = pages_[id.index / page_size];
        BERTH_ASSERT(page.jobs > 0, "who is forgotten was known");
        if (--page.jobs == 0) {
            spare_.push_back(std::exchange(page.values, nullptr));
        }
    }
    /// The value of a job that was added and not removed.
    [[nodiscard]] Value& operator[](JobId id) {
        return (*pages_[id.index / page_size].values)[id.index % page_size];
    }
    /// The same for any id. If there is no such job, it returns nullptr, the value that the job had
    /// last, or a default-constructed value.
    [[nodiscard]] const Value* find(JobId id) const {
        const std::size_t page = id.index / page_size;
        return page < pages_.size() && pages_[page].values != nullptr
                   ? &(*pages_[page].values)[id.index % page_size]
                   : nullptr;
    }
    /// Has the processor fetch the value of a job that was added and not removed.
    [[gnu::always_inline]] void fetch(JobId id) const {
        __builtin_prefetch(&(*pages_[id.index / page_size].values)[id.index % page_size]);
    }

private:
    static constexpr std::size_t page_size = 256;
    using Values = std::array<Value, page_size>;
    struct Page {
        Values* values = nullptr;
        std::size_t jobs = 0;  ///< The count lies here so that ending a job does not touch the
                               ///< page's memory.
    };

    [[nodiscard]] Values& free_values() {
        if (spare_.empty()) {
            return values_.add();
        }
        Values& values = *spare_.back();
        spare_.pop_back();
        return values;
    }

    std::vector<Page> pages_;
    core::StableBlocks<Values> values_;
    std::vector<Values*> spare_;  ///< Pages without jobs.
};

}  // namespace berth::sim
