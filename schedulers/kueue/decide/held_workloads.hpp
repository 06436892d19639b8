#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::core::kueue {

/// A workload that holds quota, by a number that is its own as long as it does.
using WorkloadId = Id<struct WorkloadTag>;

/// A workload that holds quota, with what of it is asked for again and again.
struct HeldWorkload {
    WorkloadId id;
    Workload workload;
    FlavorResourceAmounts usage;
    FlavorResources flavors;  ///< Of which it holds some, be it an amount of 0.
    Time queued_since;
    std::uint64_t sequence = 0;  ///< Tells those of one name apart.
    bool out = false;            ///< Taken out for a while.

    [[nodiscard]] static HeldWorkload of(WorkloadId id,
                                         Workload workload,
                                         const Configuration& configuration,
                                         std::uint64_t sequence);
};

/// The workloads of one queue that hold quota, by name, and by each resource of a flavor in the
/// order in which they would be preempted, so that a search begins with the first.
///
/// Cost:   O(log) for each resource of a flavor that a workload holds.
class HeldWorkloads {
public:
    struct ByName {
        bool operator()(const HeldWorkload* a, const HeldWorkload* b) const;
    };
    /// Where those begin who are being evicted, or those who are not.
    struct Begin {
        bool evicted;
    };
    /// Who is being evicted goes first, then who has the lower priority, then who got quota later.
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
    /// Before anything changes by which they are ordered.
    void erase(const HeldWorkload& held);

    [[nodiscard]] const std::set<const HeldWorkload*, ByName>& by_name() const { return by_name_; }
    /// Those who hold some of one resource of a flavor.
    [[nodiscard]] const InOrder& users(FlavorResource what) const;
    /// What those of at most that priority hold of it together; saturates.
    /// Cost:   O(different priorities up to that one).
    [[nodiscard]] Amount held_up_to(FlavorResource what, std::int64_t priority) const;
    /// Whether any of these has that priority and queues since later than `since`.
    [[nodiscard]] bool has_newer(FlavorResource what, std::int64_t priority, Time since) const;
    /// Whether all have the time written at which they got quota. What is not written stands for
    /// the time of whoever asks, so that no order of theirs can be kept.
    [[nodiscard]] bool are_written() const { return unwritten_ == 0; }

private:
    __extension__ using WideAmount = __int128;
    struct Users {
        InOrder in_order;
        std::multiset<std::pair<std::int64_t, Time>> ages;  ///< By priority, queued_since.
        /// What is held by priority: wide, so that what goes leaves the exact sum of the others.
        boost::container::flat_map<std::int64_t, WideAmount> held;
    };
    std::set<const HeldWorkload*, ByName> by_name_;
    std::map<FlavorResource, Users> users_;
    std::size_t unwritten_ = 0;
};

}  // namespace berth::core::kueue
