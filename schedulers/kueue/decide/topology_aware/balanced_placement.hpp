#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/topology_aware/domain_choice.hpp"

namespace berth::core::kueue {

/// Shares a preferred pod set as evenly as possible among the domains of one parent, on as few of
/// them as that takes.
///
/// Source: Kueue, pkg/cache/scheduler/tas_balanced_placement.go.
class BalancedPlacement {
public:
    BalancedPlacement(DomainCounts& counts, const PlacementParameters& parameters)
        : counts_(counts), parameters_(parameters), choice_(counts, parameters) {}

    /// The domains and their level. Their states say what each of them takes.
    struct Found {
        Domains domains;
        std::size_t level = 0;
    };
    /// Returns nothing, and leaves all states as they were, if the pods cannot be shared evenly.
    [[nodiscard]] std::optional<Found> find();

private:
    /// Saved states of sibling domains and of all domains below them, level by level: the index of
    /// the level's first domain, and the states from there on.
    using States = std::vector<std::pair<std::uint32_t, std::vector<DomainState>>>;
    struct Greedy {
        std::int64_t used = 0;
        std::optional<NodeId> last_leader;
        std::optional<NodeId> last;
    };
    /// The best choice so far: a family of siblings, the least that each of its domains takes, and
    /// the states in which domains that cannot take that much are empty.
    struct Best {
        std::int64_t threshold = 0;
        std::int64_t used = 0;
        Domains family;
        States states;
    };

    [[nodiscard]] States save(const Domains& family) const;
    void restore(const States& states);
    [[nodiscard]] std::vector<Domains> families() const;
    /// How many domains are needed if the largest are taken first; nothing if even all of them are
    /// not enough.
    [[nodiscard]] std::optional<Greedy> take_largest(Domains domains) const;
    void improve(const Domains& family, Best& best);
    /// The least that each domain takes, and a second value to try if that is too much. The second
    /// one lets the leader be on the last domain taken, too.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> thresholds(const Greedy& greedy) const;
    [[nodiscard]] std::optional<Greedy> prune(const Domains& family, std::int64_t threshold);
    void prune_one(NodeId domain, std::int64_t threshold);
    [[nodiscard]] std::optional<Found> apply(const Best& best);
    /// The fewest domains that take all pods. Of several such choices it is the one with the least
    /// room left over, and of equal ones the first in `order`.
    [[nodiscard]] std::optional<Domains> optimal(const Domains& order) const;
    /// Sorts domains: those with a leader first, then those whose pods are spread more evenly among
    /// their children.
    [[nodiscard]] Domains by_entropy(Domains domains) const;
    [[nodiscard]] double entropy(NodeId domain) const;
    [[nodiscard]] std::optional<Domains> share(Domains domains, std::int64_t threshold);

    DomainCounts& counts_;
    const PlacementParameters& parameters_;
    DomainChoice choice_;
};

}  // namespace berth::core::kueue
