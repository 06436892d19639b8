#pragma once

#include <cstdint>
#include <vector>

#include "core/allocation_candidates/candidate_plan.hpp"

namespace berth::core {

/// Which sharing providers can serve which parts in other trees, at the moment it is made.
class SharingOffers {
public:
    explicit SharingOffers(CandidatePlan& plan);
    /// Whether forest.sharing()[i] serves a part in the trees it is shared with.
    [[nodiscard]] bool serves(std::uint32_t i, std::size_t part) const {
        return serves_[part * sharing_count_ + i];
    }
    /// The trees in which somebody shared can serve the part; ascending.
    [[nodiscard]] const std::vector<TreeIndex>& trees(std::size_t part) const {
        return trees_[part];
    }
    /// No part is served by anybody shared.
    [[nodiscard]] bool none() const { return none_; }

private:
    std::size_t sharing_count_;
    bool none_ = true;
    std::vector<bool> serves_;  ///< By part and sharing provider.
    std::vector<std::vector<TreeIndex>> trees_;
};

}  // namespace berth::core
