#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/topology_aware/domain_choice.hpp"

namespace berth::core::kueue {

/// Shares a preferred pod set as evenly as can be among the domains of one parent, on as few of
/// them as that takes.
///
/// Source: Kueue, pkg/cache/scheduler/tas_balanced_placement.go.
class BalancedPlacement {
public:
    BalancedPlacement(DomainCounts& counts, const PlacementParameters& parameters)
        : counts_(counts), parameters_(parameters), choice_(counts, parameters) {}

    /// The domains, with what each takes in its state, and their level. Nothing, and all states as
    /// before, if pods cannot be shared so.
    struct Found {
        Domains domains;
        std::size_t level = 0;
    };
    [[nodiscard]] std::optional<Found> find();

private:
    /// The states of siblings and of all below them, level by level: where each level begins.
    using States = std::vector<std::pair<std::uint32_t, std::vector<DomainState>>>;
    struct Greedy {
        std::int64_t used = 0;
        std::optional<NodeId> last_leader;
        std::optional<NodeId> last;
    };
    /// The best so far: a family of siblings, what each of its domains takes at least, and the
    /// states in which those that cannot take so much are empty.
    struct Best {
        std::int64_t threshold = 0;
        std::int64_t used = 0;
        Domains family;
        States states;
    };

    [[nodiscard]] States save(const Domains& family) const;
    void restore(const States& states);
    [[nodiscard]] std::vector<Domains> families() const;
    /// How many domains are needed if the largest are taken first; nothing if all are not enough.
    [[nodiscard]] std::optional<Greedy> take_largest(Domains domains) const;
    void improve(const Domains& family, Best& best);
    /// What each domain takes at least: with the leader, and if that is too much, without.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> thresholds(const Greedy& greedy) const;
    [[nodiscard]] std::optional<Greedy> prune(const Domains& family, std::int64_t threshold);
    void prune_one(NodeId domain, std::int64_t threshold);
    [[nodiscard]] std::optional<Found> apply(const Best& best);
    /// Of the fewest domains that suffice, those that leave the fewest pods' room over; among equal
    /// ones, those that come first.
    [[nodiscard]] std::optional<Domains> optimal(const Domains& order) const;
    /// Those with a leader first, then whose pods are spread more evenly among children.
    [[nodiscard]] Domains by_entropy(Domains domains) const;
    [[nodiscard]] double entropy(NodeId domain) const;
    [[nodiscard]] std::optional<Domains> share(Domains domains, std::int64_t threshold);

    DomainCounts& counts_;
    const PlacementParameters& parameters_;
    DomainChoice choice_;
};

}  // namespace berth::core::kueue
