#include "schedulers/kube/decide/gang_preemption.hpp"

#include <algorithm>
#include <iterator>
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

/// Whether a running pod may have to leave for a group with this priority, of which `member` is.
bool may_leave(const Pod& other, std::int64_t priority, const Pod& member) {
    const bool is_member = !member.pod_group.empty() && other.pod_group == member.pod_group &&
                           other.name_space == member.name_space;
    return other.priority < priority && !is_member;
}

bool has_potential(std::int64_t priority, const Pod& member, const Cluster& cluster) {
    return std::ranges::any_of(cluster.nodes(), [&](const NodeState& node) {
        return std::ranges::any_of(node.pods(), [&](const CountedPod* other) {
            return may_leave(other->pod, priority, member);
        });
    });
}

void sort_by_importance(std::vector<Potential>& pods) {
    std::ranges::stable_sort(pods, {}, [](const Potential& one) {
        return std::tuple(-one.pod->pod.priority, one.pod->pod.start_time.value_or(INT64_MAX));
    });
}

/// The search on a copy of the cluster.
class VictimSearch {
public:
    VictimSearch(const Gang& gang, const Cluster& cluster)
        : gang_(gang), cluster_(cluster.copy()), decider_(*cluster_) {
        gang_.preemption = GangPreemption::none;
    }

    [[nodiscard]] std::vector<Potential> all_potential(std::int64_t priority,
                                                       const Cluster& original) const {
        std::vector<Potential> all;
        for (const NodeState& node : original.nodes()) {
            const std::vector<const CountedPod*>& same = cluster_->nodes()[node.position()].pods();
            for (std::size_t i = 0; i < same.size(); ++i) {
                if (may_leave(same[i]->pod, priority, gang_.pods.front().pod)) {
                    all.push_back({node.pods()[i], node.position(), same[i]});
                }
            }
        }
        return all;
    }
    [[nodiscard]] bool fits() {
        return try_gang(gang_, *cluster_, decider_).outcome == GangCycle::Outcome::placed;
    }
    [[nodiscard]] std::size_t next_start() const { return cluster_->next_start; }
    void remove(const Potential& one) const { cluster_->remove(*one.copy, one.node); }
    /// Puts a pod back. Returns whether it may stay; if not, it is gone again.
    bool spare(Potential& one) {
        one.copy = &cluster_->place(one.pod->pod, one.node);
        if (fits()) {
            return true;
        }
        remove(one);
        return false;
    }

private:
    Gang gang_;
    std::unique_ptr<Cluster> cluster_;
    Decider decider_;
};

}  // namespace

std::vector<const CountedPod*> preempt_for_gang(const Gang& gang,
                                                std::int64_t group_priority,
                                                Cluster& cluster) {
    if (std::ranges::any_of(gang.pods,
                            [](const GangPod& member) { return member.pod.never_preempts; }) ||
        !has_potential(group_priority, gang.pods.front().pod, cluster)) {
        return {};
    }
    VictimSearch search(gang, cluster);
    std::vector<Potential> potential = search.all_potential(group_priority, cluster);
    std::ranges::for_each(potential, [&](const Potential& one) { search.remove(one); });
    if (!search.fits()) {
        cluster.next_start = search.next_start();
        return {};
    }
    sort_by_importance(potential);
    std::vector<Potential> leaving;
    const auto look = [&](Potential& one) {
        if (!search.spare(one)) {
            leaving.push_back(one);
        }
    };
    BudgetUse use(cluster.budgets(), true);
    std::vector<Potential> within;
    std::vector<Potential> beyond;
    for (const Potential& one : potential) {
        (use.exceeds(one.pod->pod) ? beyond : within).push_back(one);
    }
    std::ranges::for_each(beyond, look);
    std::ranges::for_each(within, look);
    cluster.next_start = search.next_start();
    sort_by_importance(leaving);
    std::vector<const CountedPod*> victims;
    std::ranges::transform(leaving, std::back_inserter(victims), &Potential::pod);
    return victims;
}

}  // namespace berth::core::kube
