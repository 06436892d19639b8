#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "core/topology_aware/shape_counts.hpp"

namespace berth::core::kueue {

/// Counts of the shapes that were placed last, kept from one workload to the next.
class CountedShapes {
public:
    /// The snapshot outlives it.
    explicit CountedShapes(const TopologySnapshot& snapshot) : snapshot_(snapshot) {}

    [[nodiscard]] const TopologySnapshot& snapshot() const { return snapshot_; }
    /// The counts of a shape, which may lag behind the ledger.
    [[nodiscard]] std::shared_ptr<ShapeCounts> find(TaskShape shape);

    static constexpr std::size_t kept_max = 16;

private:
    const TopologySnapshot& snapshot_;
    std::list<std::shared_ptr<ShapeCounts>> kept_;  ///< The one asked for last first.
};

/// The states of all domains for a task.
class DomainCounts {
public:
    explicit DomainCounts(CountedShapes& shapes) : shapes_(shapes) {}

    /// Counts for a task. `filters`: of its workload.
    void fill(const PlacementTask& task,
              const PlacementParameters& parameters,
              NodeFilterCache& filters);

    [[nodiscard]] const DomainState& operator[](NodeId domain) const { return (*counts_)[domain]; }
    /// A state that is changed for this task alone.
    [[nodiscard]] DomainState& edit(NodeId domain) { return counts_->edit(domain); }
    [[nodiscard]] const TopologySnapshot& snapshot() const { return shapes_.snapshot(); }
    [[nodiscard]] Exclusions exclusions() const { return counts_->exclusions(); }
    /// The domains of a level in the order in which pods without a leader take them, before any is
    /// changed for this task.
    [[nodiscard]] const LevelOrder& order(std::size_t level) const { return counts_->order(level); }

    /// Sums up what is below a domain and the domain itself from the leaves, where any number of
    /// pods may lie on each.
    void roll_up(NodeId top);
    /// Calls `visit` with the range of each level from some siblings down, as indices.
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

}  // namespace berth::core::kueue
