#include "core/allocation_candidates/sharing_offers.hpp"

#include <algorithm>

namespace berth::core {

SharingOffers::SharingOffers(CandidatePlan& plan)
    : sharing_count_(plan.forest().sharing().size()),
      serves_(plan.parts().size() * sharing_count_, false),
      trees_(plan.parts().size()) {
    const ProviderForest& forest = plan.forest();
    for (std::size_t part = 0; part < plan.parts().size(); ++part) {
        PlannedGroup& group = plan.group_of(part);
        std::vector<TreeIndex>& trees = trees_[part];
        for (std::uint32_t i = 0; i < sharing_count_; ++i) {
            const ProviderIndex provider = forest.sharing()[i];
            // In the unsuffixed group what is shared must itself be in the aggregates asked for,
            // and comes into no tree that was named.
            const bool barred =
                !group.suffixed && (group.in_tree.has_value() ||
                                    !group.aggregates.meets_all(forest.aggregate_set(provider)));
            if (barred || !plan.may_serve(provider, part)) {
                continue;
            }
            none_ = false;
            serves_[part * sharing_count_ + i] = true;
            trees.insert(trees.end(), forest.served(i).begin(), forest.served(i).end());
        }
        if (!std::ranges::is_sorted(trees)) {
            std::ranges::sort(trees);
        }
        const auto repeated = std::ranges::unique(trees);
        trees.erase(repeated.begin(), repeated.end());
    }
}

}  // namespace berth::core
