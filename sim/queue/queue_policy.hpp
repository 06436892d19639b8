#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/job/job.hpp"

namespace berth::sim {

/// Which waiting jobs may preempt others.
enum class Preemptors : std::uint8_t { none, single_pods, all };

class Backfilling;
struct BackfillContext;

/// What a job behind one that finds no place may do.
enum class Overtaking : std::uint8_t {
    free,      ///< Start wherever it fits, as in Kubernetes.
    none,      ///< Wait.
    backfill,  ///< Start where it delays no reservation of a job before it.
};

/// The measure by which jobs of different owners are ordered before anything else: less comes
/// first. An owner is a quota or, in a run without quotas, a user.
enum class OwnerMeasure : std::uint8_t {
    none,            ///< All owners are equal.
    dominant_share,  ///< What the owner's quota uses now.
    decayed_usage,   ///< What the owner has used, counted less the longer ago it was.
};

/// Which waiting job is tried first, and what that means for the jobs behind it.
///
/// Contract, checked for every registered policy by tests/unit/sim/queue_policy_contract_test.cpp:
///   - the order is a function of what is said here: no clock, no randomness;
///   - each job has one turn, and equal jobs have theirs by entry into the queue.
struct QueuePolicy {
    /// The rank of a job as it enters the queue, smaller first; `service` is what the job attained
    /// before evictions, in milli-units x milliseconds of the cluster's GPUs, or of its CPUs if it
    /// has none.
    std::int64_t (*rank)(const Job& job, std::int64_t service) = [](const Job&, std::int64_t) {
        return std::int64_t{0};
    };
    OwnerMeasure owners = OwnerMeasure::none;
    SimTime half_life{};  ///< The half-life of decayed_usage.
    Overtaking overtaking = Overtaking::free;
    std::size_t reservations = 0;  ///< For backfill: how many waiting jobs have a reservation at a
                                   ///< time.
    /// For backfill: makes the part that plans ahead.
    std::unique_ptr<Backfilling> (*backfilling)(BackfillContext context) = nullptr;

    /// The same policy with all jobs equal, for an order that comes from elsewhere.
    [[nodiscard]] QueuePolicy without_order() const {
        QueuePolicy policy = *this;
        policy.rank = QueuePolicy{}.rank;
        policy.owners = OwnerMeasure::none;
        return policy;
    }
};

/// Where a policy's options come from. This base class gives none, so that all have their defaults.
class QueueOptions {
public:
    virtual ~QueueOptions() = default;
    virtual SimTime duration(const std::string& /*key*/, SimTime otherwise) { return otherwise; }
    virtual std::size_t count(const std::string& /*key*/, std::size_t otherwise) {
        return otherwise;
    }
    /// A policy that only orders; its overtaking is free.
    virtual QueuePolicy order(const std::string& key, std::string_view otherwise);
};

struct QueuePolicyEntry {
    std::string_view name;
    std::string_view summary;
    QueuePolicy (*make)(QueueOptions& options);
};

/// All queue policies, by name: sim/policies/queue_policies.def, one line per file.
[[nodiscard]] std::span<const QueuePolicyEntry> queue_policies();

/// The policy with this name, with its default options.
/// Errors: an unknown name is a caller's bug and aborts.
[[nodiscard]] QueuePolicy queue_policy(std::string_view name);

}  // namespace berth::sim
