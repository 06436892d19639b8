#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/kai/decide/quantities.hpp"

namespace berth::core::kai {

/// A queue's place in Queues, which is also the order of names.
using QueueIndex = std::uint32_t;
inline constexpr QueueIndex no_queue = UINT32_MAX;

/// What a queue has of one resource.
struct Share {
    double quota = 0;
    double limit = unlimited;
    double weight = 0;  ///< Of what is left when all quotas are given.
    double request = 0;
    double usage = 0;  ///< In the past, from 0 to 1.
    double fair = 0;
    double allocated = 0;
    double allocated_fixed = 0;  ///< By jobs that must not be preempted.

    /// What the queue may ask for.
    [[nodiscard]] double requestable() const;
    /// What of this it does not have yet.
    [[nodiscard]] double remaining() const;
    [[nodiscard]] bool is_satisfied() const;
    /// What may be allocated before others may take it back. With an unlimited quota, the fair
    /// share does not count.
    [[nodiscard]] double allocatable() const;
};

struct Queue {
    std::string name;
    QueueIndex parent = no_queue;
    double created = 0;  ///< In seconds of any clock.
    std::int64_t priority = 100;
    std::array<Share, resource_count> shares{};
    /// How long pods are safe after their job has started, in seconds.
    std::optional<double> reclaim_min_runtime;
    std::optional<double> preempt_min_runtime;
    std::vector<QueueIndex> children;

    [[nodiscard]] Amounts amounts(double Share::* which) const {
        return {shares[0].*which, shares[1].*which, shares[2].*which};
    }
    [[nodiscard]] Amounts allocatable() const;
    /// Whether `more` would fit into what `allocated` leaves of the quota.
    [[nodiscard]] bool fits_quota(const Amounts& more) const;
    [[nodiscard]] bool fixed_fits_quota(const Amounts& more) const;
};

/// Queues in the order of their names, as a forest.
class Queues {
public:
    Queues() = default;
    /// `queues` are sorted by name, with parents that are queues and not in a circle. Children are
    /// found here.
    explicit Queues(std::vector<Queue> queues);

    [[nodiscard]] std::size_t size() const { return queues_.size(); }
    [[nodiscard]] Queue& operator[](QueueIndex queue) { return queues_[queue]; }
    [[nodiscard]] const Queue& operator[](QueueIndex queue) const { return queues_[queue]; }
    [[nodiscard]] const std::vector<QueueIndex>& roots() const { return roots_; }
    [[nodiscard]] std::optional<QueueIndex> find(std::string_view name) const;
    /// The queues from a root down to `queue`.
    [[nodiscard]] std::vector<QueueIndex> path(QueueIndex queue) const;
    /// The first ancestors, from the roots on, that differ; if none do, the last common level.
    [[nodiscard]] std::pair<QueueIndex, QueueIndex> leveled(QueueIndex a, QueueIndex b) const;
    /// Adds to what a queue and its ancestors have allocated.
    void charge(QueueIndex queue, const Amounts& amounts, bool is_fixed, double sign);

private:
    std::vector<Queue> queues_;
    std::vector<QueueIndex> roots_;
};

}  // namespace berth::core::kai
