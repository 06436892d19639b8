#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace berth::core::toy {

/// A few tickets. Jobs get them in the order in which they ask.
class Tickets {
public:
    explicit Tickets(std::uint32_t count) : free_(count) {}

    /// The job takes a ticket if one is free; otherwise it waits for one.
    void ask(std::uint32_t job) {
        if (holders_.contains(job)) {
            return;
        }
        if (free_ == 0) {
            waiting_.push_back(job);
            return;
        }
        --free_;
        holders_.insert(job);
    }

    /// The job needs no ticket any more. Returns the job that gets its ticket, if one waits.
    std::optional<std::uint32_t> give_back(std::uint32_t job) {
        std::erase(waiting_, job);
        if (holders_.erase(job) == 0) {
            return std::nullopt;
        }
        if (waiting_.empty()) {
            ++free_;
            return std::nullopt;
        }
        const std::uint32_t next = waiting_.front();
        waiting_.erase(waiting_.begin());
        holders_.insert(next);
        return next;
    }

    [[nodiscard]] bool holds(std::uint32_t job) const { return holders_.contains(job); }
    /// The jobs that wait before this one.
    [[nodiscard]] std::vector<std::uint32_t> before(std::uint32_t job) const {
        return {waiting_.begin(), std::ranges::find(waiting_, job)};
    }

private:
    std::uint32_t free_;
    std::set<std::uint32_t> holders_;
    std::vector<std::uint32_t> waiting_;
};

}  // namespace berth::core::toy
