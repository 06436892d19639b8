#include <algorithm>
#include <cmath>

#include "core/group_allocator/scorers/leftover.hpp"

namespace berth::core {
namespace {

/// always_found: like leftover, for a resource that may be over-committed. The score falls again
/// beyond the allocatable amount. No scorer id of the published program leads to it; here its name
/// does.
class AlwaysFoundScorer final : public LeftoverScorer {
public:
    [[nodiscard]] GroupScore score(
        Amount allocatable, Amount pod, Amount node, Amount requested, bool init) const override {
        GroupScore found = LeftoverScorer::score(allocatable, pod, node, requested, init);
        found.score = 1.0 - std::abs(std::max(-1.0, 1.0 - found.score));
        found.found = true;
        return found;
    }
};

}  // namespace

const GroupScorer& get_always_found() {
    static const AlwaysFoundScorer scorer;
    return scorer;
}

}  // namespace berth::core
