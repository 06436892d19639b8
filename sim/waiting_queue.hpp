#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "sim/job.hpp"
#include "sim/profile.hpp"

namespace berth::sim {

/// A waiting job's place in the queue: smaller is tried first.
struct QueueKey {
    std::int64_t rank = 0;      ///< 0, or the negated priority.
    std::uint64_t arrival = 0;  ///< Arrival number, unique.
    friend auto operator<=>(const QueueKey&, const QueueKey&) = default;
};

/// Jobs that wait for a place, sorted as the queueSort plug-in says, and grouped into classes of
/// jobs that ask for the same: where one of a class finds no place, neither does the next, so a
/// cycle asks once a class and not once a job.
///
/// Cost: O(log waiting) to add or take a job; a cycle looks at each class once, and at each job
///       that starts.
class WaitingQueue {
public:
    explicit WaitingQueue(QueueSort order) : order_(order) {}

    void add(const Job& job, std::uint64_t arrival, std::uint32_t job_index);
    void remove(const Job& job, std::uint64_t arrival);

    [[nodiscard]] std::size_t size() const { return size_; }

    /// Starts a cycle: classes that were refused since `releases` was last different stay out of
    /// it, since nothing was given back that could help them.
    void begin_cycle(std::uint64_t releases);
    /// The next job to try in this cycle, or nothing.
    [[nodiscard]] std::optional<std::uint32_t> next() const;
    /// The job that next() gave found a place, or left for good.
    void taken();
    /// The job that next() gave found none and goes on waiting; so does the rest of its class.
    void refused();

private:
    using Class = std::tuple<std::vector<core::Amount>,
                             core::Members,
                             core::Members,
                             bool,
                             std::vector<std::int64_t>>;
    struct Waiting {
        std::map<QueueKey, std::uint32_t> jobs;
        std::optional<std::uint64_t> refused_at;  ///< The releases when it was last refused.
    };
    using Classes = std::map<Class, Waiting>;

    [[nodiscard]] static Class class_of(const Job& job);
    [[nodiscard]] QueueKey key_of(const Job& job, std::uint64_t arrival) const;

    QueueSort order_;
    Classes classes_;
    std::size_t size_ = 0;
    std::uint64_t releases_ = 0;
    std::map<QueueKey, Classes::iterator> heads_;  ///< Of the classes still in this cycle.
};

}  // namespace berth::sim
