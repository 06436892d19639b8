#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/clock/time.hpp"
#include "sim/queue/queue_key.hpp"

namespace berth::sim {

/// Waiting jobs in the order of their places, to be found by how long they run: the order is split
/// into stretches, each with the shortest duration in it.
///
/// Cost: add() and remove() O(log jobs + stretch_max), and now and then one step for each stretch;
///       first() also reads one number for each stretch that it passes over.
class DurationIndex {
public:
    /// Errors: adding a place that is there, or removing one that is not, aborts.
    void add(const QueueKey& place, SimTime duration);
    void remove(const QueueKey& place);
    /// The first job after `after` that runs for at most `most`; nothing if there is none.
    [[nodiscard]] std::optional<QueueKey> first(const QueueKey& after, SimTime most) const;
    /// Compares the index with the jobs that it should have, which are sorted by place.
    [[nodiscard]] std::optional<core::Violation> find_violation(
        const std::vector<std::pair<QueueKey, SimTime>>& jobs) const;

private:
    static constexpr std::size_t stretch_max = 128;
    using Stretch = std::vector<std::pair<QueueKey, SimTime>>;  ///< Sorted by place; never empty.

    [[nodiscard]] std::size_t stretch_of(const QueueKey& place) const;
    void note_shortest(std::size_t stretch);

    // The stretches in their order. Two values of each stretch are kept apart, so that a search
    // reads them sequentially: its beginning, which no place of an earlier stretch reaches, and its
    // shortest duration.
    std::vector<Stretch> stretches_;
    std::vector<QueueKey> begins_;
    std::vector<SimTime> shortest_;
};

}  // namespace berth::sim
