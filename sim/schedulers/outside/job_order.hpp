#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "sim/job/job_state.hpp"

namespace berth::sim {

/// Jobs in the order of their keys. Whoever goes through them may take out any of them meanwhile,
/// and finds those that come behind the last one.
///
/// Cost: O(log jobs) to take one out, O(1) amortised to add one behind all others, O(jobs) to add
///       one between them; going through them skips at most as many gaps as there are jobs.
class JobOrder {
public:
    /// `key` is none that another job in here has.
    void add(JobId id, std::uint64_t key);
    void remove(JobId id);
    [[nodiscard]] bool contains(JobId id) const {
        return id.index < keys_.size() && keys_[id.index].has_value();
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    /// Closes gaps once there are more of them than jobs; nobody goes through the jobs now.
    void close_gaps();

    class Iterator {
    public:
        using value_type = JobId;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const JobOrder& order, std::size_t at) : order_(&order), at_(at) { skip_gaps(); }
        JobId operator*() const { return order_->entries_[at_].id; }
        Iterator& operator++() {
            ++at_;
            skip_gaps();
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
        friend bool operator==(const Iterator& a, std::default_sentinel_t /*end*/) {
            return a.is_at_end();
        }

    private:
        [[nodiscard]] bool is_at_end() const { return at_ >= order_->entries_.size(); }
        void skip_gaps() {
            while (!is_at_end() && !order_->entries_[at_].there) {
                ++at_;
            }
        }

        const JobOrder* order_ = nullptr;
        std::size_t at_ = 0;
    };
    [[nodiscard]] Iterator begin() const { return {*this, first_}; }
    [[nodiscard]] static std::default_sentinel_t end() { return {}; }

private:
    struct Entry {
        std::uint64_t key = 0;
        JobId id;
        bool there = true;  ///< Otherwise it is a gap.
    };
    [[nodiscard]] std::vector<Entry>::iterator find(std::uint64_t key);

    std::vector<Entry> entries_;                      ///< By key.
    std::vector<std::optional<std::uint64_t>> keys_;  ///< By JobId.
    std::size_t first_ = 0;                           ///< Before this one there are only gaps.
    std::size_t size_ = 0;
};

}  // namespace berth::sim
