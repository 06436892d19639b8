#include "core/group_allocator/scorers/leftover.hpp"

#include <algorithm>
#include <limits>

#include "core/tree/ids.hpp"

namespace berth::core {
namespace {

/// a + b, cut to what an Amount holds: more than that fits nowhere anyway.
[[nodiscard]] inline Amount saturated_sum(Amount a, Amount b) {
    Amount sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        return a > 0 ? std::numeric_limits<Amount>::max() : std::numeric_limits<Amount>::min();
    }
    return sum;
}

/// a - b, cut to what an Amount holds.
[[nodiscard]] inline Amount saturated_difference(Amount a, Amount b) {
    Amount difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) {
        return a >= 0 ? std::numeric_limits<Amount>::max() : std::numeric_limits<Amount>::min();
    }
    return difference;
}

/// used / allocatable, evaluated in the same way as by the published program, since the last bit
/// may decide a tie.
[[nodiscard]] inline double used_share(Amount allocatable, Amount left) {
    return allocatable != 0 ? 1.0 - static_cast<double>(left) / static_cast<double>(allocatable)
                            : 0.0;
}

}  // namespace

Amount LeftoverScorer::total(Amount one, Amount other) const {
    return saturated_sum(one, other);
}

Amount LeftoverScorer::carry(Amount before, Amount next, bool init) const {
    return init ? std::max(before, next) : saturated_sum(before, next);
}

GroupScore LeftoverScorer::score(
    Amount allocatable, Amount pod, Amount node, Amount requested, bool init) const {
    const Amount new_pod = init ? std::max(pod, requested) : saturated_sum(pod, requested);
    const Amount new_node = saturated_sum(node, saturated_difference(new_pod, pod));
    const Amount left = saturated_difference(allocatable, new_node);
    return {left >= 0, used_share(allocatable, left), new_pod, new_node};
}

Amount LeftoverScorer::returned(Amount node, Amount pod) const {
    return saturated_difference(node, pod);
}

const GroupScorer& get_leftover() {
    static const LeftoverScorer scorer;
    return scorer;
}

}  // namespace berth::core
