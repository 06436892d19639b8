#include "schedulers/kube/decide/propose_preemption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/preemption.hpp"

namespace berth::core::kube {
namespace {

/// What a pod gets by preemption, in words; nothing if it gets nothing.
std::optional<std::string> consequence(const Preemption& preemption) {
    constexpr std::size_t most = 3;
    if (preemption.best.empty()) {
        return std::nullopt;
    }
    const PreemptionCandidate& best = *preemption.best.front();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(best.victims.size(), most); ++i) {
        const Pod& victim = best.victims[i]->pod;
        names.push_back(fmt::format("{}/{}", victim.name_space, victim.name));
    }
    if (best.victims.size() > most) {
        names.push_back(fmt::format("{} more", best.victims.size() - most));
    }
    return fmt::format("then {} {} would be preempted on node {}",
                       best.victims.size() == 1 ? "pod" : "pods",
                       enumerate(names),
                       best.node);
}

std::optional<Candidate> allow_preemption(const Pod& pod,
                                          const Cluster& cluster,
                                          const Feasible& failed) {
    Candidate candidate{.pod = pod};
    candidate.pod.never_preempts = false;
    const auto then = consequence(preempt(candidate.pod, cluster, failed));
    if (!then) {
        return std::nullopt;
    }
    candidate.text = fmt::format("set preemptionPolicy to PreemptLowerPriority: {}", *then);
    candidate.pod_steps.push_back({"add", "/spec/preemptionPolicy", "PreemptLowerPriority", {}});
    return candidate;
}

/// The search for the least priority that helps.
class Priorities {
public:
    Priorities(const Pod& pod, Cluster& cluster, const Feasible& failed, std::size_t& tried)
        : pod_(pod), cluster_(cluster), failed_(failed), tried_(tried) {
        std::set<std::int64_t> above;
        for (const NodeState& node : cluster.nodes()) {
            const std::string& name = node.node().name;
            if (failed.diagnosis.of(name).code == Code::unschedulable) {
                add_above(node.pods(), above);
            }
            add_above(cluster.nominated_to(name), above);
            add_above(cluster.nominated_to(name), above_waiting_);
        }
        above_.assign(above.begin(), above.end());
    }

    [[nodiscard]] std::optional<Candidate> least() {
        if (above_.empty()) {
            return std::nullopt;
        }
        if (auto candidate = with(above_.front())) {
            return candidate;
        }
        std::size_t failing = 0;
        std::size_t working = above_.size() - 1;
        std::optional<Candidate> best = working > 0 ? with(above_[working]) : std::nullopt;
        while (best && failing + 1 < working) {
            const std::size_t middle = failing + (working - failing) / 2;
            if (auto candidate = with(above_[middle])) {
                best = std::move(candidate);
                working = middle;
            } else {
                failing = middle;
            }
        }
        return best;
    }

private:
    /// Adds the priorities just above those of pods that the pod does not exceed.
    void add_above(const std::vector<const CountedPod*>& others, std::set<std::int64_t>& above) {
        constexpr std::int64_t greatest = 1'000'000'000;
        for (const CountedPod* other : others) {
            const std::int64_t priority = other->pod.priority;
            if (priority >= pod_.priority && priority < greatest) {
                above.insert(priority + 1);
            }
        }
    }

    std::optional<Candidate> with(std::int64_t priority) {
        ++tried_;
        Candidate candidate{.pod = pod_};
        candidate.pod.priority = priority;
        // Filters ask for the priority only where pods wait for a node.
        const bool is_as_before = above_waiting_.empty() || priority < *above_waiting_.begin();
        const Feasible again = is_as_before ? Feasible() : find_feasible(candidate.pod, cluster_);
        const std::optional<std::string> then =
            again.nodes.empty()
                ? consequence(preempt(candidate.pod, cluster_, is_as_before ? failed_ : again))
                : fmt::format("then it would get the room kept for others on node {}",
                              cluster_.nodes()[again.nodes.front()].node().name);
        if (!then) {
            return std::nullopt;
        }
        candidate.text = fmt::format("raise the priority to {}: {}", priority, *then);
        candidate.pod_steps.push_back({"add", "/spec/priority", priority, {}});
        return candidate;
    }

    const Pod& pod_;
    Cluster& cluster_;
    const Feasible& failed_;
    std::size_t& tried_;
    std::vector<std::int64_t> above_;
    std::set<std::int64_t> above_waiting_;  ///< Those of pods for which room is kept.
};

}  // namespace

std::optional<Candidate> propose_preemption(const Pod& pod,
                                            Cluster& cluster,
                                            const Feasible& failed,
                                            std::size_t& tried) {
    if (pod.never_preempts) {
        ++tried;
        return allow_preemption(pod, cluster, failed);
    }
    return Priorities(pod, cluster, failed, tried).least();
}

}  // namespace berth::core::kube
