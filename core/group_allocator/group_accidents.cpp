#include "core/group_allocator/group_accidents.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

const GroupState* keep_marks(const GroupState& before,
                             const GroupState& after,
                             bool used,
                             GroupStateMaker& maker) {
    BERTH_AUDIT(before.shape == after.shape, "the marks come from the same location");
    // Marks are only added, so an equal number means the same marks.
    const std::uint32_t marks = after.inner_marks() + (used ? 1U : 0U);
    BERTH_AUDIT(before.marks <= marks, "a search only adds marks");
    if (before.marks == marks) {
        return &before;
    }
    GroupState* kept = maker.copy(before);
    kept->used = used;
    kept->marks = marks;
    for (std::size_t i = 0; i < kept->children.size(); ++i) {
        const GroupState& child = *after.children[i];
        kept->children[i] = keep_marks(*before.children[i], child, child.used, maker);
    }
    return kept;
}

const GroupState* charge_summed(const GroupedRequest& request,
                                std::span<const PlacedPart> placed,
                                const GroupState& before,
                                const GroupState& after,
                                GroupStateMaker& maker) {
    BERTH_AUDIT(before.shape == after.shape, "a location is charged anew as the same one");
    if (&before == &after) {
        return &before;
    }
    GroupState* summed = maker.copy(before);
    summed->used = after.used;
    summed->marks = after.marks;
    for (std::size_t i = 0; i < summed->uses.size(); ++i) {
        const GroupShape::Resource& resource = summed->shape->resources[i];
        GroupUse& use = summed->uses[i];
        use.charged =
            resource.scorer->carry(use.charged, demanded(request, placed, resource), true);
        rescore(use, resource, true);
    }
    for (std::uint32_t i = 0; i < summed->children.size(); ++i) {
        summed->children[i] = charge_summed(request,
                                            placed_inside(request, placed, i),
                                            *before.children[i],
                                            *after.children[i],
                                            maker);
    }
    return seal(*summed, true);
}

const GroupState* settle(const GroupState& state, bool init, GroupStateMaker& maker) {
    if (!state.unsettled) {
        return &state;
    }
    GroupState* settled = maker.copy(state);
    for (std::size_t i = 0; i < settled->uses.size(); ++i) {
        const GroupShape::Resource& resource = settled->shape->resources[i];
        GroupUse& use = settled->uses[i];
        const GroupScore now =
            resource.scorer->score(resource.allocatable, use.pod, use.node, 0, init);
        use.pod = now.pod;
        use.node = now.node;
    }
    for (const GroupState*& child : settled->children) {
        child = settle(*child, init, maker);
    }
    return seal(*settled, init);
}

}  // namespace berth::core
