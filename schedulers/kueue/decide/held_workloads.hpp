#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::core::kueue {

/// A workload that holds quota, by a number that is its own as long as it holds the quota.
using WorkloadId = Id<struct WorkloadTag>;

/// A workload that holds quota, together with derived values that are needed often.
struct HeldWorkload {
    WorkloadId id;
    Workload workload;
    FlavorResourceAmounts usage;
    FlavorResources flavors;  ///< The flavor resources that it holds, even with an amount of 0.
    Time queued_since;
    std::uint64_t sequence = 0;  ///< Distinguishes workloads of the same name.
    bool out = false;            ///< It is taken out for a while.

    [[nodiscard]] static HeldWorkload of(WorkloadId id,
                                         Workload workload,
                                         const Configuration& configuration,
                                         std::uint64_t sequence);
};

/// The workloads of one queue that hold quota: by name, and for each resource of a flavor in the
/// order in which they would be preempted, so that a search begins with the first.
///
/// Cost: O(log) for each resource of a flavor that a workload holds.
class HeldWorkloads {
public:
    struct ByName {
        bool operator()(const HeldWorkload* a, const HeldWorkload* b) const;
    };
    /// The position where the workloads begin that are being evicted, or those that are not.
    struct Begin {
        bool evicted;
    };
    /// A workload that is being evicted goes first, then one with a lower priority, then one that
    /// got its quota later.
    struct PreemptedBefore {
        using is_transparent = void;
        bool operator()(const HeldWorkload* a, const HeldWorkload* b) const;
        bool operator()(const HeldWorkload* a, Begin b) const {
            return a->workload.evicted && !b.evicted;
        }
        bool operator()(Begin a, const HeldWorkload* b) const {
            return a.evicted || !b->workload.evicted;
        }
    };
    using InOrder = std::set<const HeldWorkload*, PreemptedBefore>;

    void insert(const HeldWorkload& held);
    /// Call this before anything changes that the workloads are ordered by.
    void erase(const HeldWorkload& held);

    [[nodiscard]] const std::set<const HeldWorkload*, ByName>& by_name() const { return by_name_; }
    /// The workloads that hold some of one resource of a flavor.
    [[nodiscard]] const InOrder& users(FlavorResource what) const;
    /// What the workloads of at most that priority hold of it together; saturates.
    /// Cost: O(different priorities up to that one).
    [[nodiscard]] Amount held_up_to(FlavorResource what, std::int64_t priority) const;
    /// Whether any of these workloads has that priority and is queued since later than `since`.
    [[nodiscard]] bool has_newer(FlavorResource what, std::int64_t priority, Time since) const;
    /// Whether all of them have the time written at which they got quota. A missing time stands for
    /// the time of the question, so that no order of such workloads can be kept.
    [[nodiscard]] bool are_written() const { return unwritten_ == 0; }

private:
    __extension__ using WideAmount = __int128;
    struct Users {
        InOrder in_order;
        std::multiset<std::pair<std::int64_t, Time>> ages;  ///< Pairs of priority and queued_since.
        /// What is held at each priority. It is wide, so that removing an amount leaves the exact
        /// sum of the others.
        boost::container::flat_map<std::int64_t, WideAmount> held;
    };
    std::set<const HeldWorkload*, ByName> by_name_;
    std::map<FlavorResource, Users> users_;
    std::size_t unwritten_ = 0;
};

}  // namespace berth::core::kueue
