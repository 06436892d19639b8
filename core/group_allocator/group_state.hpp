#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/group_allocator/group_tree.hpp"
#include "core/support/arena.hpp"

namespace berth::core {

/// The use of one resource while a pod is being fitted.
struct GroupUse {
    Amount pod = 0;      ///< The use by the pod's earlier containers.
    Amount node = 0;     ///< The use on the node, including those containers.
    Amount charged = 0;  ///< The charge of the container that is being fitted.
    double score = 0;    ///< The score with that charge.
    bool found = true;   ///< There is enough for that charge.
};

/// The use of a location and of everything below it. A state never changes after it is sealed, and
/// locations that are alike share one state. What holds for one of them holds for all, so that a
/// large idle machine is searched as fast as a small one.
struct GroupState {
    const GroupShape* shape = nullptr;
    std::span<GroupUse> uses;               ///< The use of each base resource.
    std::span<const GroupState*> children;  ///< The state of each child.
    bool used = false;                      ///< The pod's search has taken this location.
    bool all_found = true;                  ///< No resource here or below is over-committed.
    bool charged = false;                   ///< The container has a charge here or below.
    bool unsettled = false;                 ///< A scorer would change what no request asks for.
    bool zero = true;                       ///< All scores are 0.
    bool exact = true;                      ///< The sum of the scores is the same in any order.
    std::uint32_t marks = 0;  ///< The number of locations here and below that are used.
    std::uint32_t id = 0;     ///< A number that no other state of the same maker has.
    double sum = 0;           ///< The sum of the scores here and below, if exact.

    [[nodiscard]] std::uint32_t inner_marks() const { return marks - (used ? 1U : 0U); }
    void mark_used() {
        marks = inner_marks() + 1;
        used = true;
    }
    void set_child(std::size_t index, const GroupState* child) {
        marks += child->marks - children[index]->marks;
        children[index] = child;
    }
};

/// Makes states in its own memory; forget() ends the life of all of them.
class GroupStateMaker {
public:
    /// States are numbered from `first_id` on.
    explicit GroupStateMaker(std::uint32_t first_id) : first_id_(first_id), next_id_(first_id) {}
    GroupStateMaker(const GroupStateMaker&) = delete;
    GroupStateMaker& operator=(const GroupStateMaker&) = delete;

    /// A copy to write to and then to seal().
    [[nodiscard]] GroupState* copy(const GroupState& state) {
        const std::size_t uses = state.uses.size();
        const std::size_t children = state.children.size();
        std::byte* block = allocate(uses, children);
        std::memcpy(block, &state, size_of(uses, children));
        return own(block, uses, children);
    }
    [[nodiscard]] GroupState* make(const GroupShape& shape);
    void forget() {
        arena_.forget();
        next_id_ = first_id_;
    }
    /// Memory for other values that live as long.
    [[nodiscard]] Arena& arena() { return arena_; }

private:
    // A state and what it owns form one piece of memory: first the state, then its uses, then its
    // children.
    static_assert(sizeof(GroupState) % alignof(GroupUse) == 0);
    static_assert(sizeof(GroupUse) % alignof(const GroupState*) == 0);
    static constexpr std::size_t size_of(std::size_t uses, std::size_t children) {
        return sizeof(GroupState) + uses * sizeof(GroupUse) + children * sizeof(const GroupState*);
    }
    [[nodiscard]] std::byte* allocate(std::size_t uses, std::size_t children) {
        return arena_.allocate<std::byte>(size_of(uses, children));
    }
    /// Makes the state in `block` own what follows it.
    GroupState* own(std::byte* block, std::size_t uses, std::size_t children) {
        auto* state = reinterpret_cast<GroupState*>(block);
        auto* first_use = reinterpret_cast<GroupUse*>(block + sizeof(GroupState));
        state->id = next_id_++;
        state->uses = {first_use, uses};
        state->children = {reinterpret_cast<const GroupState**>(first_use + uses), children};
        return state;
    }

    Arena arena_;
    std::uint32_t first_id_;
    std::uint32_t next_id_;
};

/// What the pod and the node use of a resource with the container's charges so far.
[[nodiscard]] inline GroupScore charged(const GroupUse& use,
                                        const GroupShape::Resource& resource,
                                        bool init) {
    if (use.charged == 0) {
        return {use.found, use.score, use.pod, use.node};
    }
    return resource.scorer->score(resource.allocatable, use.pod, use.node, use.charged, init);
}
/// Brings the score of a use up to date with its amounts.
inline void rescore(GroupUse& use, const GroupShape::Resource& resource, bool init) {
    const GroupScore now =
        resource.scorer->score(resource.allocatable, use.pod, use.node, use.charged, init);
    use.score = now.score;
    use.found = now.found;
}
/// Charges one more request of the container; `stepwise` is GroupRules::charges_init_stepwise.
inline void charge(
    GroupUse& use, const GroupShape::Resource& resource, Amount amount, bool init, bool stepwise) {
    const GroupScorer& scorer = *resource.scorer;
    use.charged =
        stepwise ? scorer.carry(use.charged, amount, init) : scorer.total(use.charged, amount);
    rescore(use, resource, init);
}
/// Sums up what was written to a state. Nothing may be written to it afterwards.
const GroupState* seal(GroupState& state, bool init);
[[nodiscard]] const GroupUse& use_at(const GroupState& root, const GroupTree::Path& path);
/// The state with one more charge at the end of the path; nullptr if that is too much.
[[nodiscard]] const GroupState* charge_at(const GroupState& root,
                                          const GroupTree::Path& path,
                                          Amount amount,
                                          bool init,
                                          GroupStateMaker& maker);
/// Finishes a container: its charges become use of the pod and of the node.
[[nodiscard]] const GroupState* commit(const GroupState& state, bool init, GroupStateMaker& maker);
/// The sum of the scores of a location's resources, in the order of their names. The order matters
/// to the last bit of a sum of fractions, and the last bit may decide a tie.
[[nodiscard]] double ordered_score_sum(const GroupState& state);
[[nodiscard]] inline double score_sum(const GroupState& state) {
    return state.exact ? state.sum : ordered_score_sum(state);
}

/// The states of the servers of one machine type between pods, each distinct state once.
///
/// Cost: with() is O(changed resources x depth), times a look-up.
class GroupStates {
public:
    explicit GroupStates(const GroupTree& tree);

    [[nodiscard]] const GroupState* idle() const { return idle_; }
    struct Change {
        std::uint32_t resource = 0;  ///< The number of a resource in the tree.
        Amount used = 0;
    };
    /// The state in which the changed resources are used as given and all others as before.
    [[nodiscard]] const GroupState* with(const GroupState* before, std::span<const Change> changes);
    [[nodiscard]] Amount used(const GroupState* state, std::uint32_t resource) const;
    [[nodiscard]] std::size_t size() const { return known_.size(); }

private:
    const GroupState* share(const GroupShape& shape,
                            std::span<const Amount> used,
                            std::span<const GroupState* const> children);
    const GroupState* make_idle(const GroupShape& shape);

    const GroupTree& tree_;
    GroupStateMaker maker_{0};
    /// The states by their shape, uses and ids of children.
    std::map<std::vector<Amount>, const GroupState*> known_;
    const GroupState* idle_ = nullptr;
};

}  // namespace berth::core
