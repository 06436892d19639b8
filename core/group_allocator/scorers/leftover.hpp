#pragma once

#include "core/group_allocator/group_scorer.hpp"

namespace berth::core {

/// leftover: an amount that is used up linearly. Running containers add up; an init container only
/// needs what exceeds the pod's use so far.
/// Source: Mehrotra, "Group Allocator", eqs. 19 to 25.
class LeftoverScorer : public GroupScorer {
public:
    [[nodiscard]] Amount total(Amount one, Amount other) const override;
    [[nodiscard]] Amount carry(Amount before, Amount next, bool init) const override;
    [[nodiscard]] GroupScore score(
        Amount allocatable, Amount pod, Amount node, Amount requested, bool init) const override;
    [[nodiscard]] Amount returned(Amount node, Amount pod) const override;
};

}  // namespace berth::core
