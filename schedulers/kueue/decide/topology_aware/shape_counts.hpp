#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kueue/decide/topology_aware/node_filter.hpp"

namespace berth::core::kueue {

/// The domains of one level ordered by how many slices they take, then by their pods, then by their
/// place, so that the best and the next best are found without looking at the others.
///
/// Cost: O(log domains) for each domain that changes.
class LevelOrder {
public:
    struct Key {
        std::int64_t slices = 0;
        std::int64_t pods = 0;
        NodeId domain;
        friend constexpr auto operator<=>(const Key&, const Key&) = default;
    };

    void insert(Key key) { keys_.insert(key); }
    void erase(Key key) { keys_.erase(key); }
    [[nodiscard]] bool empty() const { return keys_.empty(); }

    /// The domain that takes the least but at least `slices`; nullptr if none takes that much.
    [[nodiscard]] const Key* least_with(std::int64_t slices) const {
        const auto found = keys_.lower_bound(Key{slices, INT64_MIN, {}});
        return found == keys_.end() ? nullptr : &*found;
    }
    /// The first domain, if the one that takes the most goes first.
    [[nodiscard]] const Key& most() const { return *least_with(keys_.rbegin()->slices); }
    /// The last domain, if the one that takes the least goes first.
    [[nodiscard]] const Key& last() const { return *keys_.rbegin(); }
    /// The next domain, if the one that takes the least goes first; nullptr after the last.
    [[nodiscard]] const Key* after(const Key& key) const {
        const auto found = keys_.upper_bound(key);
        return found == keys_.end() ? nullptr : &*found;
    }
    /// The next domain, if the one that takes the most goes first and equal ones go by pods and
    /// place.
    [[nodiscard]] const Key* after_descending(const Key& key) const {
        const Key* same = after(key);
        if (same != nullptr && same->slices == key.slices) {
            return same;
        }
        const auto first = keys_.lower_bound(Key{key.slices, INT64_MIN, {}});
        return first == keys_.begin() ? nullptr : least_with(std::prev(first)->slices);
    }

private:
    std::set<Key> keys_;
};

/// How much of a task a domain can take.
struct DomainState {
    std::int64_t pods = 0;
    std::int64_t slices = 0;
    std::int64_t pods_with_leader = 0;  ///< The number of pods if the leader is here as well.
    std::int64_t slices_with_leader = 0;
    std::int64_t leaders = 0;
    std::int64_t affinity = 0;

    [[nodiscard]] std::int64_t capacity(bool in_slices, bool with_leader) const {
        return in_slices ? (with_leader ? slices_with_leader : slices)
                         : (with_leader ? pods_with_leader : pods);
    }
    friend bool operator==(const DomainState&, const DomainState&) = default;
};

/// Everything besides free amounts that the states of domains depend on. Tasks have the same shape
/// if they differ only in the number of their pods or in the level on which these are to be
/// together.
struct TaskShape {
    std::vector<Amount> workers;                ///< The request of one pod.
    std::optional<std::vector<Amount>> leader;  ///< The request of the leader.
    std::int64_t slice_size = 1;
    std::size_t slice_level = 0;
    std::vector<std::int64_t> inner_sizes;  ///< See PlacementParameters.
    bool empty = false;
    std::optional<NodeFilter> filter;  ///< The filter of nodes; nothing unless leaves are nodes.
    bool forgets_scores = false;
    RequiredDomain within;

    friend bool operator==(const TaskShape&, const TaskShape&) = default;
};

/// The states of all domains for tasks of one shape, from the leaves up.
///
/// Cost:   building is O(domains x resources); afterwards catch_up() costs, for each leaf that
///         changed in the ledger or is assumed to change, its resources and the children of each
///         domain above it.
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, fillInCounts.
class ShapeCounts {
public:
    ShapeCounts(const TopologySnapshot& snapshot, TaskShape shape);

    [[nodiscard]] const TaskShape& shape() const { return shape_; }
    /// Takes edits back, and brings the states up to date with the ledger less what is assumed.
    void catch_up(const AssumedUsage& assumed);

    [[nodiscard]] const DomainState& operator[](NodeId domain) const {
        return states_[domain.index];
    }
    /// A state that is changed for one decision, until the next catch_up().
    [[nodiscard]] DomainState& edit(NodeId domain);
    /// The state that follows from those of the domains below; for a leaf, its own state with its
    /// pods counted in slices.
    [[nodiscard]] DomainState summed(NodeId domain,
                                     std::size_t level,
                                     std::int64_t inner_size) const;
    /// The domains of a level by what they take without a leader, without edits.
    [[nodiscard]] const LevelOrder& order(std::size_t level);
    [[nodiscard]] Exclusions exclusions() const;

    /// The number of states computed so far. Tests use it to check that the work follows changes
    /// and not size.
    [[nodiscard]] std::uint64_t states_computed() const { return states_computed_; }

private:
    static constexpr std::int32_t none = -1;

    void take_back_edits();
    void filter_leaves();
    void rebuild(const AssumedUsage& assumed);
    void refresh(NodeId leaf, const AssumedUsage& assumed);
    [[nodiscard]] DomainState leaf_state(NodeId leaf, const AssumedUsage& assumed);
    void set_limiting(NodeId leaf, std::int32_t resource);
    /// Sums up the domains above those of a level, level by level. Leaves `changed` empty.
    void roll_up(std::set<NodeId> changed);
    void set(NodeId domain, std::size_t level, const DomainState& state);
    [[nodiscard]] std::int64_t inner_size(std::size_t level) const {
        return level < snapshot_.last_level() ? shape_.inner_sizes[level + 1] : 0;
    }
    [[nodiscard]] LevelOrder::Key key(NodeId domain) const {
        return {(*this)[domain].slices, (*this)[domain].pods, domain};
    }

    const TopologySnapshot& snapshot_;
    TaskShape shape_;
    ChangeReader changes_;
    bool is_built_ = false;
    std::vector<DomainState> states_;  ///< The state of each node of the tree.
    std::vector<std::optional<LevelOrder>> orders_;

    std::vector<bool> admitted_;  ///< For each server, whether the rules about nodes let pods in.
    std::vector<std::int64_t> scores_;  ///< For each server, its score by preferred affinity.
    Exclusions excluded_;               ///< Why servers take no pods, whatever is free on them.
    /// For each server, a resource of which it has too little for one pod; `none`: it has enough.
    std::vector<std::int32_t> limiting_;
    /// For each resource, how many servers it limits in this way.
    std::vector<std::int64_t> limited_by_;

    /// The leaves in whose states assumed usage counts in addition to that of the ledger.
    std::vector<NodeId> assumed_;
    std::vector<std::pair<NodeId, DomainState>> edits_;
    std::vector<std::uint64_t> edited_;  ///< For each node, the last decision that edited it.
    std::uint64_t decision_ = 0;
    std::uint64_t states_computed_ = 0;
};

}  // namespace berth::core::kueue
