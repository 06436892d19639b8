#pragma once

#include <optional>
#include <string>

#include "core/topology_aware/domain_choice.hpp"

namespace berth::core::kueue {

/// Domains of one level that together take all pods, or why there are none.
struct FoundDomains {
    std::size_t level = 0;
    Domains domains;
    std::string failure;  ///< Empty if there is none.
};

/// Searches one domain that takes all, at the level asked for and, where that is only preferred,
/// above it; at the top, and for pods that may lie anywhere, several.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, findLevelWithFitDomains.
class LevelSearch {
public:
    LevelSearch(DomainCounts& counts, const PlacementParameters& parameters)
        : counts_(counts), parameters_(parameters), choice_(counts, parameters) {}

    [[nodiscard]] FoundDomains find() const;

private:
    /// Searches at one level. Returns nothing if the level above is to be tried.
    [[nodiscard]] std::optional<FoundDomains> find_at(std::size_t level) const;
    /// The same for pods without a leader, by the order of the level's domains that is kept.
    [[nodiscard]] std::optional<FoundDomains> find_in(const LevelOrder& order,
                                                      std::size_t level) const;
    [[nodiscard]] FoundDomains find_several_in(const LevelOrder& order, std::size_t level) const;
    /// The least capacity that is enough, if there is one; `first` if that has the same.
    [[nodiscard]] static NodeId best_fit_in(const LevelOrder& order,
                                            const LevelOrder::Key& first,
                                            std::int64_t need);
    [[nodiscard]] bool fits(NodeId domain) const;
    /// The first domain in `order` that takes all pods, if there is one.
    [[nodiscard]] std::optional<NodeId> find_one(const Domains& order) const;
    [[nodiscard]] FoundDomains find_several(std::size_t level, Domains order) const;
    [[nodiscard]] FoundDomains failed(std::size_t level, std::int64_t fit) const;
    [[nodiscard]] std::string layers_text(std::size_t level) const;

    DomainCounts& counts_;
    const PlacementParameters& parameters_;
    DomainChoice choice_;
};

}  // namespace berth::core::kueue
