#include "core/group_allocator/group_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <ranges>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Whether a score is a multiple of 2^-20 and small enough that sums are exact in any order: they
/// are as long as they stay below 2^30.
bool is_exact(double score) {
    constexpr double grain = 1048576.0;
    constexpr double most = 1024.0;
    const double grains = score * grain;
    return std::abs(score) <= most && grains == std::floor(grains);
}

/// A sum that is being built.
struct Sum {
    double value = 0;
    bool exact = true;
};

void add(Sum& sum, const GroupState& state) {
    if (state.zero) {
        return;
    }
    if (sum.exact && state.exact) {
        sum.value += state.sum;
        return;
    }
    for (const GroupShape::Term& term : state.shape->order) {
        if (term.child) {
            add(sum, *state.children[term.index]);
        } else {
            sum.value += state.uses[term.index].score;
            sum.exact = sum.exact && is_exact(state.uses[term.index].score);
        }
    }
}

}  // namespace

GroupState* GroupStateMaker::make(const GroupShape& shape) {
    const std::size_t uses = shape.resources.size();
    const std::size_t children = shape.children.size();
    std::byte* block = allocate(uses, children);
    (new (block) GroupState)->shape = &shape;
    return own(block, uses, children);
}

const GroupState* seal(GroupState& state, bool init) {
    bool all_found = true;
    bool exact = true;
    bool zero = true;
    bool charged = false;
    bool unsettled = false;
    double sum = 0;
    for (std::size_t i = 0; i < state.uses.size(); ++i) {
        const GroupUse& use = state.uses[i];
        all_found &= use.found;
        charged |= use.charged != 0;
        if (use.score != 0) {
            zero = false;
            exact = exact && is_exact(use.score);
            sum += use.score;
        }
        if (use.pod != 0 || use.node != 0) {
            const GroupShape::Resource& resource = state.shape->resources[i];
            const GroupScore now =
                resource.scorer->score(resource.allocatable, use.pod, use.node, 0, init);
            unsettled = unsettled || now.pod != use.pod || now.node != use.node;
        }
    }
    for (const GroupState* child : state.children) {
        all_found &= child->all_found;
        exact &= child->exact;
        zero &= child->zero;
        charged |= child->charged;
        unsettled |= child->unsettled;
        sum += child->sum;
    }
    state.all_found = all_found;
    state.exact = exact;
    state.zero = zero;
    state.charged = charged;
    state.unsettled = unsettled;
    state.sum = sum;
    return &state;
}

const GroupUse& use_at(const GroupState& root, const GroupTree::Path& path) {
    const GroupState* state = &root;
    for (const std::uint32_t child : path.children) {
        state = state->children[child];
    }
    BERTH_ASSERT(path.resource < state->uses.size(), "a path ends at a resource of its location");
    return state->uses[path.resource];
}

const GroupState* charge_at(const GroupState& root,
                            const GroupTree::Path& path,
                            Amount amount,
                            bool init,
                            GroupStateMaker& maker) {
    std::vector<GroupState*> along{maker.copy(root)};
    for (const std::uint32_t child : path.children) {
        GroupState* copy = maker.copy(*along.back()->children[child]);
        along.back()->children[child] = copy;
        along.push_back(copy);
    }
    BERTH_ASSERT(path.resource < along.back()->uses.size(),
                 "a path ends at a resource of its location");
    GroupUse& use = along.back()->uses[path.resource];
    charge(use, along.back()->shape->resources[path.resource], amount, init, false);
    if (!use.found) {
        return nullptr;
    }
    for (GroupState* state : along | std::views::reverse) {
        seal(*state, init);
    }
    return along.front();
}

const GroupState* commit(const GroupState& state, bool init, GroupStateMaker& maker) {
    if (!state.charged) {
        return &state;
    }
    GroupState* done = maker.copy(state);
    for (std::size_t i = 0; i < done->uses.size(); ++i) {
        const GroupShape::Resource& resource = done->shape->resources[i];
        GroupUse& use = done->uses[i];
        if (use.charged == 0) {
            continue;
        }
        const GroupScore now =
            resource.scorer->score(resource.allocatable, use.pod, use.node, use.charged, init);
        use = {now.pod, now.node, 0, now.score, now.found};
    }
    for (const GroupState*& child : done->children) {
        child = commit(*child, init, maker);
    }
    return seal(*done, init);
}

double ordered_score_sum(const GroupState& state) {
    Sum sum;
    add(sum, state);
    return sum.value;
}

GroupStates::GroupStates(const GroupTree& tree)
    : tree_(tree), idle_(make_idle(tree.root_shape())) {}

const GroupState* GroupStates::make_idle(const GroupShape& shape) {
    const std::vector<Amount> used(shape.resources.size(), 0);
    std::vector<const GroupState*> children;
    for (const GroupShape* child : shape.children) {
        children.push_back(make_idle(*child));
    }
    return share(shape, used, children);
}

const GroupState* GroupStates::share(const GroupShape& shape,
                                     std::span<const Amount> used,
                                     std::span<const GroupState* const> children) {
    BERTH_ASSERT(used.size() == shape.resources.size() && children.size() == shape.children.size(),
                 "a state has an amount for each resource of its shape, and each child");
    std::vector<Amount> key{shape.id};
    key.insert(key.end(), used.begin(), used.end());
    for (const GroupState* child : children) {
        key.push_back(child->id);
    }
    const GroupState*& known = known_[key];
    if (known == nullptr) {
        GroupState* state = maker_.make(shape);
        for (std::size_t i = 0; i < used.size(); ++i) {
            std::construct_at(&state->uses[i])->node = used[i];
            rescore(state->uses[i], shape.resources[i], false);
        }
        std::uninitialized_copy(children.begin(), children.end(), state->children.begin());
        known = seal(*state, false);
    }
    return known;
}

const GroupState* GroupStates::with(const GroupState* before, std::span<const Change> changes) {
    const GroupState* state = before;
    for (const Change& change : changes) {
        BERTH_ASSERT(change.resource < tree_.resource_count(), "what changes is of this machine");
        const GroupTree::Path& path = tree_.path(change.resource);
        std::vector<const GroupState*> along{state};
        for (const std::uint32_t child : path.children) {
            along.push_back(along.back()->children[child]);
        }
        const auto amounts = [](const GroupState& of) {
            std::vector<Amount> used;
            std::ranges::transform(of.uses, std::back_inserter(used), &GroupUse::node);
            return used;
        };
        std::vector<Amount> used = amounts(*along.back());
        used[path.resource] = change.used;
        const GroupState* made = share(*along.back()->shape, used, along.back()->children);
        for (std::size_t level = path.children.size(); level-- > 0;) {
            std::vector<const GroupState*> children(along[level]->children.begin(),
                                                    along[level]->children.end());
            children[path.children[level]] = made;
            made = share(*along[level]->shape, amounts(*along[level]), children);
        }
        state = made;
    }
    return state;
}

Amount GroupStates::used(const GroupState* state, std::uint32_t resource) const {
    return use_at(*state, tree_.path(resource)).node;
}

}  // namespace berth::core
