#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/topology_aware/domain_counts.hpp"

namespace berth::core::kueue {

using Domains = std::vector<NodeId>;

/// Which domains are taken first, and how many of them it takes.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, sections on sorting and minimum.
class DomainChoice {
public:
    DomainChoice(DomainCounts& counts, const PlacementParameters& parameters)
        : counts_(counts), parameters_(parameters) {}

    /// Sorted by capacity, from the most or from the least; of equal ones, fewer pods go first.
    [[nodiscard]] Domains sorted(Domains domains, bool least_first) const;
    /// The same by capacities with a leader, and those that can host one first.
    [[nodiscard]] Domains sorted_for_leader(Domains domains, bool least_first) const;
    /// Of those from `first` on, the one with the least capacity that is enough; otherwise the
    /// first of them.
    [[nodiscard]] NodeId best_fit(std::span<const NodeId> domains,
                                  std::int64_t need,
                                  std::int64_t leaders,
                                  bool in_slices) const;
    /// Puts the first domain to the front that can host the leader without too much being lost.
    [[nodiscard]] Domains leader_first(Domains domains,
                                       std::int64_t need,
                                       std::int64_t leaders,
                                       bool in_slices) const;
    /// Takes as few of the domains as are needed, in their order, and leaves in their states what
    /// is taken of each. Returns no domain if all are not enough: Kueue goes on with that.
    [[nodiscard]] Domains minimum(const Domains& domains,
                                  std::int64_t count,
                                  std::int64_t leaders,
                                  std::int64_t slice_size,
                                  bool in_slices);
    /// The children of all of them, in their order.
    [[nodiscard]] Domains children(std::span<const NodeId> domains) const;

private:
    [[nodiscard]] Domains sorted_by(Domains domains, bool least_first, bool for_leader) const;
    [[nodiscard]] bool scored() const {
        return counts_.snapshot().gate(FeatureGate::respect_preferred_affinity);
    }

    DomainCounts& counts_;
    const PlacementParameters& parameters_;
};

}  // namespace berth::core::kueue
