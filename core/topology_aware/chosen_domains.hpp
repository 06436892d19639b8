#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/topology_aware/domain_choice.hpp"

namespace berth::core::kueue {

/// Finds which domains, with a given number of them, take all pods and leaders with the least room
/// left over. For each number of domains and each pair of leaders and pods that are left to place,
/// the first choice that reaches it is kept.
///
/// Cost:   for each domain, all that can be left by choices of those before it.
/// Source: Kueue, pkg/cache/scheduler/tas_balanced_placement.go, selectOptimalDomainSetToFit.
class ChosenDomains {
public:
    ChosenDomains(std::size_t domains, std::int64_t leaders, std::int64_t pods);

    void add(NodeId domain, const DomainState& state);
    [[nodiscard]] std::optional<Domains> best() const;

private:
    /// A choice: the domain chosen last, and the choice before. 0 is the one of no domain.
    using Choice = std::size_t;
    using ByPods = std::map<std::int64_t, Choice>;
    using ByLeaders = std::map<std::int64_t, ByPods>;

    void reach(ByLeaders& row, std::int64_t leaders, std::int64_t pods, Choice before, NodeId last);
    [[nodiscard]] Domains list(Choice choice) const;

    std::vector<ByLeaders> left_;  ///< By the number of domains chosen.
    std::vector<std::pair<Choice, NodeId>> choices_;
};

}  // namespace berth::core::kueue
