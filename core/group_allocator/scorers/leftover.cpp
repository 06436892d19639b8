#include "core/group_allocator/scorers/leftover.hpp"

#include <algorithm>

#include "core/group_allocator/scorers/shares.hpp"

namespace berth::core {

Amount LeftoverScorer::total(Amount one, Amount other) const {
    return saturated_sum(one, other);
}

Amount LeftoverScorer::carry(Amount before, Amount next, bool init) const {
    return init ? std::max(before, next) : saturated_sum(before, next);
}

GroupScore LeftoverScorer::score(
    Amount allocatable, Amount pod, Amount node, Amount requested, bool init) const {
    const Amount new_pod = init ? std::max(pod, requested) : saturated_sum(pod, requested);
    const Amount new_node = saturated_sum(node, saturated_sum(new_pod, -pod));
    const Amount left = saturated_sum(allocatable, -new_node);
    return {left >= 0, used_share(allocatable, left), new_pod, new_node};
}

Amount LeftoverScorer::returned(Amount node, Amount pod) const {
    return node - pod;
}

const GroupScorer& get_leftover() {
    static const LeftoverScorer scorer;
    return scorer;
}

}  // namespace berth::core
