#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/group_allocator/group_search.hpp"
#include "core/group_allocator/group_state.hpp"
#include "core/group_allocator/group_tree.hpp"

namespace berth::core {

/// One container of a pod, as the group allocator sees it.
struct GroupContainer {
    std::string name;
    bool init = false;
    GroupAmountList demands;  ///< Group resources only, none of them negative.
    /// For each demand, the scorer that decides whether it is available; nullptr: the resource's
    /// own. Empty: no demand has one.
    std::vector<const GroupScorer*> scorers{};
    /// For each demand, the resource that serves it, if this was decided before; nothing for a
    /// resource that the machine does not have.
    std::optional<std::vector<std::optional<std::uint32_t>>> allocate_from{};
};

/// Containers in the order in which they are charged: first running containers by name, then init
/// containers by name.
using GroupPod = std::vector<GroupContainer>;

/// Whether a pod fits on a machine, and which resource serves which demand.
struct GroupFit {
    bool found = false;
    double score = 0;
    std::vector<GroupReason> reasons;
    /// For each container and demand, the resource of the tree; empty for a container that found
    /// none.
    std::vector<std::vector<std::uint32_t>> allocate_from;
};

/// Finds for each requested group a location in a machine's tree of groups. Each group in turn goes
/// to the location that scores best, after the groups inside it.
///
/// Cost:   each request tries each distinct kind of location once, however many of a kind there
///         are.
/// Order:  the result is a function of the machine's state and the pod; the rules say how ties are
///         broken.
/// Source: Mehrotra, "Group Allocator", sections II and III.
class GroupAllocator {
public:
    explicit GroupAllocator(const GroupRules& rules) : rules_(rules) {}

    /// `state` belongs to `tree` and is not changed.
    [[nodiscard]] GroupFit fit(const GroupTree& tree, const GroupState& state, const GroupPod& pod);

    /// The number of locations tried so far. Tests use it to check that the work follows kinds and
    /// not size.
    [[nodiscard]] std::uint64_t locations_tried() const { return locations_tried_; }

private:
    /// The states made in a fit are numbered from here on, above those that GroupStates keeps.
    static constexpr std::uint32_t fitting_states = std::uint32_t{1} << 31;
    struct Progress;
    void fit_container(const GroupContainer& container, Progress& progress);
    bool charge_given(const GroupContainer& container, Progress& progress);

    GroupRules rules_;
    GroupStateMaker maker_{fitting_states};
    GroupedRequest request_;
    GroupTryMemo memo_;
    std::uint64_t locations_tried_ = 0;
};

/// What a pod takes of one resource.
struct GroupCharge {
    std::uint32_t resource = 0;
    Amount pod = 0;   ///< The use by the pod.
    Amount used = 0;  ///< The use on the node, with the pod on it.
};
/// What a pod that fits takes of a machine in `state`, in ascending order of the resources.
[[nodiscard]] std::vector<GroupCharge> group_charges(const GroupTree& tree,
                                                     const GroupState& state,
                                                     const GroupPod& pod,
                                                     const GroupFit& fit,
                                                     const GroupRules& rules);

}  // namespace berth::core
