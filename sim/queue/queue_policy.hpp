#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/job/job.hpp"

namespace berth::sim {

/// Which waiting jobs may take the places of others.
enum class Preemptors : std::uint8_t { none, single_pods, all };

class Backfilling;
struct BackfillContext;

/// What a job behind one that finds no place may do.
enum class Overtaking : std::uint8_t {
    free,      ///< Start wherever it fits, as in Kubernetes.
    none,      ///< Wait.
    backfill,  ///< Start where it delays no reservation of one before it.
};

/// By what the jobs of different owners are ordered before anything else: the less, the earlier.
/// An owner is a quota, or in a run without quotas a user.
enum class OwnerMeasure : std::uint8_t {
    none,            ///< Owners are alike.
    dominant_share,  ///< What its quota uses now.
    decayed_usage,   ///< What it used, the less so the longer ago.
};

/// Which waiting job is tried first, and what that means for those behind it.
///
/// Contract, checked for every registered policy by tests/unit/sim/queue_policy_contract_test.cpp:
///   - the order is a function of what is said here: no clock, no randomness;
///   - each job has one turn, and equal ones have theirs by entry into the queue.
struct QueuePolicy {
    /// The rank of a job as it enters the queue, smaller first; `service` is what it attained
    /// before evictions, in milli-units x milliseconds of the cluster's GPUs, or else CPUs.
    std::int64_t (*rank)(const Job& job, std::int64_t service) = [](const Job&, std::int64_t) {
        return std::int64_t{0};
    };
    OwnerMeasure owners = OwnerMeasure::none;
    SimTime half_life{};  ///< Of decayed_usage.
    Overtaking overtaking = Overtaking::free;
    std::size_t reservations = 0;  ///< Of backfill: so many jobs that wait have one at a time.
    /// Of backfill: makes what plans ahead.
    std::unique_ptr<Backfilling> (*backfilling)(BackfillContext context) = nullptr;

    /// The same, all jobs being equal: for an order from elsewhere.
    [[nodiscard]] QueuePolicy without_order() const {
        QueuePolicy policy = *this;
        policy.rank = QueuePolicy{}.rank;
        policy.owners = OwnerMeasure::none;
        return policy;
    }
};

/// Where a policy's options come from. This one says nothing, so that all have their defaults.
class QueueOptions {
public:
    virtual ~QueueOptions() = default;
    virtual SimTime duration(const std::string& /*key*/, SimTime otherwise) { return otherwise; }
    virtual std::size_t count(const std::string& /*key*/, std::size_t otherwise) {
        return otherwise;
    }
    /// A policy that only orders: its overtaking is free.
    virtual QueuePolicy order(const std::string& key, std::string_view otherwise);
};

struct QueuePolicyEntry {
    std::string_view name;
    std::string_view summary;
    QueuePolicy (*make)(QueueOptions& options);
};

/// All queue policies, by name: sim/policies/queue_policies.def, one line a file.
[[nodiscard]] std::span<const QueuePolicyEntry> queue_policies();

/// The one with this name, its options as they are by default.
/// Errors: an unknown name is a caller's bug and aborts.
[[nodiscard]] QueuePolicy queue_policy(std::string_view name);

}  // namespace berth::sim
