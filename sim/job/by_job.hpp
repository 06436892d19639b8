#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// What somebody keeps of each job that has not ended, by its id. Ids stay taken as long as a job
/// goes on that arrived earlier; so values are kept in pages, and a page goes with its last job.
///
/// Cost: O(1); memory for the jobs that go on, in pages of `page_size`, and 16 bytes for each page.
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
            page.values = spare_ != nullptr ? std::move(spare_) : std::make_unique<Values>();
        }
        ++page.jobs;
        (*this)[id] = std::move(value);
    }
    /// The job has ended.
    void remove(JobId id) {
        Page& page = pages_[id.index / page_size];
        BERTH_ASSERT(page.jobs > 0, "who is forgotten was known");
        (*this)[id] = {};
        if (--page.jobs == 0) {
            spare_ = std::move(page.values);
        }
    }
    /// For a job that was added and not removed.
    [[nodiscard]] Value& operator[](JobId id) {
        return (*pages_[id.index / page_size].values)[id.index % page_size];
    }
    /// The same for any id: nullptr, or a value made by default, if there is no such job.
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
        std::unique_ptr<Values> values;
        std::size_t jobs = 0;  ///< Counted here: whoever ends need not wait for his page's memory.
    };

    std::vector<Page> pages_;
    std::unique_ptr<Values> spare_;  ///< Without jobs: one goes and comes again and again.
};

}  // namespace berth::sim
