#include "schedulers/kube/decide/gang_preemption.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace berth::core::kube {
namespace {

/// A pod that may have to leave.
struct Potential {
    const CountedPod* pod;   ///< It is in the cluster itself.
    std::size_t node;        ///< The position of its node.
    const CountedPod* copy;  ///< The same pod in the copy, while it is there.
};

using WholeGroup = WholeGroups::value_type;

/// Pods that leave together: one, or all of a group.
struct Unit {
    std::int64_t priority = 0;
    bool is_group = false;
    std::vector<Potential> pods;
    std::size_t rank = 0;  ///< How many units are more important.

    [[nodiscard]] std::int64_t start() const {
        std::int64_t earliest = INT64_MAX;
        for (const Potential& one : pods) {
            earliest = std::min(earliest, one.pod->pod.start_time.value_or(INT64_MAX));
        }
        return earliest;
    }
};

/// Which pods leave together, and which may leave at all.
class Units {
public:
    Units(const Gang& gang, std::int64_t priority, const WholeGroups& whole_groups)
        : member_(gang.pods.front().pod), priority_(priority), whole_groups_(whole_groups) {}

    /// The units of a cluster whose pods may have to leave, in the order of nodes. `copy` is a copy
    /// of the cluster.
    [[nodiscard]] std::vector<Unit> find(const Cluster& cluster, const Cluster& copy) const {
        std::vector<Unit> units;
        std::map<const WholeGroup*, std::size_t> known;
        for (const NodeState& node : cluster.nodes()) {
            const std::vector<const CountedPod*>& same = copy.nodes()[node.position()].pods();
            for (std::size_t i = 0; i < same.size(); ++i) {
                const Pod& pod = node.pods()[i]->pod;
                const WholeGroup* const group = group_of(pod);
                if (!may_leave(pod, group)) {
                    continue;
                }
                std::size_t unit = units.size();
                if (group != nullptr) {
                    unit = known.emplace(group, unit).first->second;
                }
                if (unit == units.size()) {
                    units.push_back({priority_of(pod, group), group != nullptr, {}, 0});
                }
                units[unit].pods.push_back({node.pods()[i], node.position(), same[i]});
            }
        }
        return units;
    }
    [[nodiscard]] bool has_any(const Cluster& cluster) const {
        return std::ranges::any_of(cluster.nodes(), [&](const NodeState& node) {
            return std::ranges::any_of(node.pods(), [&](const CountedPod* other) {
                return may_leave(other->pod, group_of(other->pod));
            });
        });
    }

private:
    /// The group with which the pod leaves; nullptr if it leaves alone.
    [[nodiscard]] const WholeGroup* group_of(const Pod& pod) const {
        if (pod.pod_group.empty()) {
            return nullptr;
        }
        const auto found = whole_groups_.find({pod.name_space, pod.pod_group});
        return found == whole_groups_.end() ? nullptr : &*found;
    }
    [[nodiscard]] static std::int64_t priority_of(const Pod& pod, const WholeGroup* group) {
        return group != nullptr ? group->second : pod.priority;
    }
    [[nodiscard]] bool may_leave(const Pod& other, const WholeGroup* group) const {
        const bool is_member = !member_.pod_group.empty() && other.pod_group == member_.pod_group &&
                               other.name_space == member_.name_space;
        return priority_of(other, group) < priority_ && !is_member;
    }

    const Pod& member_;
    std::int64_t priority_;
    const WholeGroups& whole_groups_;
};

void sort_by_importance(std::vector<Unit>& units) {
    std::ranges::stable_sort(units, {}, [](const Unit& unit) {
        const std::int64_t size = unit.is_group ? static_cast<std::int64_t>(unit.pods.size()) : 0;
        return std::tuple(-unit.priority, !unit.is_group, -size, unit.start());
    });
    for (std::size_t i = 0; i < units.size(); ++i) {
        units[i].rank = i;
    }
}

/// Whether a unit is more than disruption budgets allow. The first pod that is decides.
bool exceeds(BudgetUse& use, const Unit& unit) {
    return std::ranges::any_of(unit.pods,
                               [&](const Potential& one) { return use.exceeds(one.pod->pod); });
}

/// The search on a copy of the cluster.
class VictimSearch {
public:
    VictimSearch(const Gang& gang, const Cluster& cluster)
        : gang_(gang), cluster_(cluster.copy()), decider_(*cluster_) {
        gang_.preemption = GangPreemption::none;
    }

    [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
    /// Whether the gang starts now. Since 1.37, its pods keep the nodes of the first time.
    [[nodiscard]] bool fits() {
        if (!nodes_.empty()) {
            return fits_on(gang_, nodes_, *cluster_);
        }
        const GangCycle cycle = try_gang(gang_, *cluster_, decider_);
        const bool is_placed = cycle.outcome == GangCycle::Outcome::placed;
        if (is_placed && cluster_->configuration().version >= SchedulerVersion::v1_37) {
            for (const GangMember& member : cycle.members) {
                nodes_.push_back(member.node);
            }
        }
        return is_placed;
    }
    void remove(const Unit& unit) const {
        for (const Potential& one : unit.pods) {
            cluster_->remove(*one.copy, one.node);
        }
    }
    /// Puts pods back. Returns whether they may stay; if not, they are gone again.
    bool spare(Unit& unit) {
        for (Potential& one : unit.pods) {
            one.copy = &cluster_->place(one.pod->pod, one.node);
        }
        if (fits()) {
            return true;
        }
        remove(unit);
        return false;
    }
    [[nodiscard]] std::vector<std::optional<std::size_t>> take_nodes() { return std::move(nodes_); }

private:
    Gang gang_;
    std::unique_ptr<Cluster> cluster_;
    Decider decider_;
    std::vector<std::optional<std::size_t>> nodes_;
};

}  // namespace

GangVictims preempt_for_gang(const Gang& gang,
                             std::int64_t group_priority,
                             const WholeGroups& whole_groups,
                             Cluster& cluster) {
    const Units units(gang, group_priority, whole_groups);
    if (std::ranges::any_of(gang.pods,
                            [](const GangPod& member) { return member.pod.never_preempts; }) ||
        !units.has_any(cluster)) {
        return {};
    }
    VictimSearch search(gang, cluster);
    std::vector<Unit> potential = units.find(cluster, search.cluster());
    std::ranges::for_each(potential, [&](const Unit& unit) { search.remove(unit); });
    if (!search.fits()) {
        cluster.next_start = search.cluster().next_start;
        return {};
    }
    sort_by_importance(potential);
    std::vector<Unit> leaving;
    const auto look = [&](Unit& unit) {
        if (!search.spare(unit)) {
            leaving.push_back(unit);
        }
    };
    BudgetUse use(cluster.budgets(), true);
    std::vector<Unit> within;
    std::vector<Unit> beyond;
    for (const Unit& unit : potential) {
        (exceeds(use, unit) ? beyond : within).push_back(unit);
    }
    std::ranges::for_each(beyond, look);
    std::ranges::for_each(within, look);
    cluster.next_start = search.cluster().next_start;
    std::ranges::sort(leaving, {}, &Unit::rank);
    GangVictims victims{{}, search.take_nodes()};
    for (const Unit& unit : leaving) {
        for (const Potential& one : unit.pods) {
            victims.pods.push_back(one.pod);
        }
    }
    return victims;
}

}  // namespace berth::core::kube
