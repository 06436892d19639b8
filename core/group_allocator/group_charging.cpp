#include "core/group_allocator/group_charging.hpp"

namespace berth::core {

GroupState* charge_part(const GroupedRequest& request,
                        const GroupedRequest::Part& part,
                        const GroupState& state,
                        bool init,
                        GroupStateMaker& maker) {
    for (const GroupedRequest::Base& base : request.bases(part)) {
        const auto index = state.shape->find_resource(base.key);
        if (!index) {
            return nullptr;
        }
        const GroupShape::Resource& resource = state.shape->resources[*index];
        const GroupUse& use = state.uses[*index];
        const Amount amount = request.amount(base.demand);
        const GroupScorer* own = request.scorer(base.demand);
        const auto found = [&](const GroupScorer& scorer, Amount pod, Amount node, Amount asked) {
            return scorer.score(resource.allocatable, pod, node, asked, init).found;
        };
        const GroupScore now = charged(use, resource, init);
        const Amount total = resource.scorer->total(use.charged, amount);
        if (!found(own != nullptr ? *own : *resource.scorer, now.pod, now.node, amount) ||
            !found(*resource.scorer, use.pod, use.node, total)) {
            return nullptr;
        }
    }
    GroupState* after = maker.copy(state);
    for (const GroupedRequest::Base& base : request.bases(part)) {
        const std::uint32_t index = *state.shape->find_resource(base.key);
        charge(after->uses[index],
               state.shape->resources[index],
               request.amount(base.demand),
               init,
               false);
    }
    return after;
}

}  // namespace berth::core
