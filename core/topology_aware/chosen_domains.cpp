#include "core/topology_aware/chosen_domains.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace berth::core::kueue {

ChosenDomains::ChosenDomains(std::size_t domains, std::int64_t leaders, std::int64_t pods)
    : left_(domains + 1) {
    left_[0][leaders][pods] = 0;
}

void ChosenDomains::add(NodeId domain, const DomainState& state) {
    // From the longest choices down, so that none has the domain twice.
    for (std::size_t used = left_.size() - 1; used > 0; --used) {
        for (const auto& [leaders, by_pods] : left_[used - 1]) {
            for (const auto& [pods, choice] : by_pods) {
                if (leaders <= 0 && pods <= 0) {
                    continue;
                }
                if (leaders > 0 && state.leaders > 0) {
                    reach(left_[used],
                          leaders - state.leaders,
                          pods - state.pods_with_leader,
                          choice,
                          domain);
                }
                if (state.slices > 0) {
                    reach(left_[used], leaders, pods - state.pods, choice, domain);
                }
            }
        }
    }
}

void ChosenDomains::reach(
    ByLeaders& row, std::int64_t leaders, std::int64_t pods, Choice before, NodeId last) {
    if (row[leaders].try_emplace(pods, choices_.size() + 1).second) {
        choices_.emplace_back(before, last);
    }
}

std::optional<Domains> ChosenDomains::best() const {
    const auto done = left_.back().find(0);
    if (done == left_.back().end()) {
        return std::nullopt;
    }
    const auto beyond = done->second.upper_bound(0);
    if (beyond == done->second.begin() ||
        std::prev(beyond)->first <= std::numeric_limits<std::int32_t>::min()) {
        return std::nullopt;
    }
    return list(std::prev(beyond)->second);
}

Domains ChosenDomains::list(Choice choice) const {
    Domains domains;
    for (; choice != 0; choice = choices_[choice - 1].first) {
        domains.push_back(choices_[choice - 1].second);
    }
    std::ranges::reverse(domains);
    return domains;
}

}  // namespace berth::core::kueue
