#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "schedulers/kueue/decide/topology_aware/shape_counts.hpp"

namespace berth::core::kueue {

/// The counts of the shapes that were placed last, kept from one workload to the next.
class CountedShapes {
public:
    /// The snapshot outlives this object.
    explicit CountedShapes(const TopologySnapshot& snapshot) : snapshot_(snapshot) {}

    [[nodiscard]] const TopologySnapshot& snapshot() const { return snapshot_; }
    /// The counts of a shape, which may lag behind the ledger.
    [[nodiscard]] std::shared_ptr<ShapeCounts> find(TaskShape shape);

    static constexpr std::size_t kept_max = 16;

private:
    const TopologySnapshot& snapshot_;
    /// The shape that was asked for last comes first.
    std::list<std::shared_ptr<ShapeCounts>> kept_;
};

/// The states of all domains for a task.
class DomainCounts {
public:
    explicit DomainCounts(CountedShapes& shapes) : shapes_(shapes) {}

    /// Counts for a task. `filters` are those of its workload.
    void fill(const PlacementTask& task,
              const PlacementParameters& parameters,
              NodeFilterCache& filters);

    [[nodiscard]] const DomainState& operator[](NodeId domain) const { return (*counts_)[domain]; }
    /// A state that is changed for this task only.
    [[nodiscard]] DomainState& edit(NodeId domain) { return counts_->edit(domain); }
    [[nodiscard]] const TopologySnapshot& snapshot() const { return shapes_.snapshot(); }
    [[nodiscard]] Exclusions exclusions() const { return counts_->exclusions(); }
    /// The domains of a level in the order in which pods without a leader take them, before any
    /// state is changed for this task.
    [[nodiscard]] const LevelOrder& order(std::size_t level) const { return counts_->order(level); }

    /// Sums up the states of a domain and of everything below it from the leaves, where each leaf
    /// may have any number of pods.
    void roll_up(NodeId top);
    /// Calls `visit` with the range of indices of each level, from the given siblings down.
    template <class Visit>
    void for_each_level_below(std::uint32_t begin, std::uint32_t end, const Visit& visit) const {
        const Topology& tree = snapshot().tree();
        visit(begin, end);
        while (begin < end && !tree.is_server(NodeId{begin})) {
            begin = tree.child_begin(NodeId{begin});
            end = tree.child_end(NodeId{end - 1});
            visit(begin, end);
        }
    }

private:
    [[nodiscard]] TaskShape shape_of(const PlacementTask& task,
                                     const PlacementParameters& parameters,
                                     NodeFilterCache& filters) const;

    CountedShapes& shapes_;
    std::shared_ptr<ShapeCounts> counts_;
};

using Domains = std::vector<NodeId>;

/// Chooses which domains are taken first, and how many of them are needed.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, sections on sorting and minimum.
class DomainChoice {
public:
    DomainChoice(DomainCounts& counts, const PlacementParameters& parameters)
        : counts_(counts), parameters_(parameters) {}

    /// Sorts by capacity, from the most or from the least. Of domains with equal capacity, the one
    /// for fewer pods goes first.
    [[nodiscard]] Domains sorted(Domains domains, bool least_first) const;
    /// Sorts in the same way by the capacity with a leader. Domains that can host a leader go
    /// first.
    [[nodiscard]] Domains sorted_for_leader(Domains domains, bool least_first) const;
    /// The domain with the least capacity that is enough, or the first of `domains` if none is
    /// enough.
    [[nodiscard]] NodeId best_fit(std::span<const NodeId> domains,
                                  std::int64_t need,
                                  std::int64_t leaders,
                                  bool in_slices) const;
    /// Moves to the front the first domain that can host the leader without too much being lost.
    [[nodiscard]] Domains leader_first(Domains domains,
                                       std::int64_t need,
                                       std::int64_t leaders,
                                       bool in_slices) const;
    /// Takes as few of the domains as are needed, in order, and leaves in their states what is
    /// taken of each. Returns no domain if all of them are not enough: Kueue goes on with that.
    [[nodiscard]] Domains minimum(const Domains& domains,
                                  std::int64_t count,
                                  std::int64_t leaders,
                                  std::int64_t slice_size,
                                  bool in_slices);
    /// The children of all these domains, in order.
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
