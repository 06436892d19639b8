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
    /// Decides, where given, whether a demand is available: by demand, or empty.
    std::vector<const GroupScorer*> scorers{};
    /// For each demand the resource that serves it, if that was settled before; one that the
    /// machine does not have is nothing.
    std::optional<std::vector<std::optional<std::uint32_t>>> allocate_from{};
};

/// Containers in the order in which they are charged: running ones by name, then init containers
/// by name.
using GroupPod = std::vector<GroupContainer>;

/// Whether a pod fits a machine, and which resource serves which demand.
struct GroupFit {
    bool found = false;
    double score = 0;
    std::vector<GroupReason> reasons;
    /// By container and demand: the resource of the tree; nothing for a container that found none.
    std::vector<std::vector<std::uint32_t>> allocate_from;
};

/// Finds for each requested group a location in a machine's tree of groups, each group in turn at
/// the location that scores best, the groups inside it first.
///
/// Cost:   each request tries each distinct kind of location once, however many are alike.
/// Order:  a function of the machine's state and the pod; ties as the rules say.
/// Source: Mehrotra, "Group Allocator", sections II and III.
class GroupAllocator {
public:
    explicit GroupAllocator(const GroupRules& rules) : rules_(rules) {}

    /// `state` is of `tree`; nothing changes it.
    [[nodiscard]] GroupFit fit(const GroupTree& tree, const GroupState& state, const GroupPod& pod);

    /// Locations tried so far: tests check that the work follows kinds, not size.
    [[nodiscard]] std::uint64_t locations_tried() const { return locations_tried_; }

private:
    /// The numbers of the states made in a fit begin above those that GroupStates keeps.
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
    Amount pod = 0;   ///< By the pod.
    Amount used = 0;  ///< Of the node with the pod on it.
};
/// What a pod that fits takes of a machine in `state`, by resource in ascending order.
[[nodiscard]] std::vector<GroupCharge> group_charges(const GroupTree& tree,
                                                     const GroupState& state,
                                                     const GroupPod& pod,
                                                     const GroupFit& fit,
                                                     const GroupRules& rules);

}  // namespace berth::core
