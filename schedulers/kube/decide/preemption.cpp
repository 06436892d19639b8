#include "schedulers/kube/decide/preemption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "core/device_allocator/go_sort.hpp"

namespace berth::core::kube {
namespace {

using Pods = std::vector<const CountedPod*>;

/// Whether a pod is more important than another. A pod without a start time is read as if it
/// started at the moment of each comparison, so that of two such pods each comes first.
bool is_more_important(const CountedPod& a, const CountedPod& b) {
    if (a.pod.priority != b.pod.priority) {
        return a.pod.priority > b.pod.priority;
    }
    if (!a.pod.start_time || !b.pod.start_time) {
        return !b.pod.start_time;
    }
    return *a.pod.start_time < *b.pod.start_time;
}

void sort_by_importance(Pods& pods) {
    std::vector<std::size_t> order(pods.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    go_sort(order,
            [&](std::size_t a, std::size_t b) { return is_more_important(*pods[a], *pods[b]); });
    Pods sorted;
    for (const std::size_t i : order) {
        sorted.push_back(pods[i]);
    }
    pods = std::move(sorted);
}

struct ByBudget {
    Pods violating;  ///< Those beyond what disruption budgets allow, if all go.
    Pods others;
};

ByBudget split_by_budget(const Pods& pods, const std::vector<DisruptionBudget>& budgets) {
    ByBudget split;
    BudgetUse use(budgets, false);
    for (const CountedPod* counted : pods) {
        (use.exceeds(counted->pod) ? split.violating : split.others).push_back(counted);
    }
    return split;
}

/// The search for victims on one node, on a copy of it.
class DryRun {
public:
    DryRun(const Pod& pod, const Cluster& cluster, const NodeState& node, const CycleState& state)
        : pod_(pod), cluster_(cluster), node_(node), state_(state) {}

    /// Finds the victims, or says why there are none.
    Verdict run(PreemptionCandidate& candidate) {
        Pods potential;
        std::ranges::copy_if(node_.pods(), std::back_inserter(potential), [&](const auto* other) {
            return other->pod.priority < pod_.priority;
        });
        for (const CountedPod* other : potential) {
            remove(*other);
        }
        if (Verdict verdict = filter(); !verdict.is_success()) {
            return verdict;
        }
        sort_by_importance(potential);
        const ByBudget split = split_by_budget(potential, cluster_.budgets());
        spare(split.violating, candidate.victims);
        candidate.violations = static_cast<std::int64_t>(candidate.victims.size());
        spare(split.others, candidate.victims);
        if (!split.violating.empty() && !split.others.empty()) {
            sort_by_importance(candidate.victims);
        }
        candidate.node = node_.node().name;
        if (candidate.victims.empty()) {
            return {
                Code::error,
                {fmt::format("expected at least one victim pod on node \"{}\"", candidate.node)}};
        }
        return {};
    }

private:
    [[nodiscard]] Verdict filter() const {
        return filter_with_nominated(pod_, node_, state_, cluster_);
    }
    void remove(const CountedPod& other) {
        node_.remove(other);
        state_.update(other, pod_, node_, -1);
    }
    /// Puts pods back one by one. Those with which the pod does not fit are victims.
    void spare(const Pods& pods, Pods& victims) {
        for (const CountedPod* other : pods) {
            node_.add(*other);
            state_.update(*other, pod_, node_, 1);
            if (!filter().is_success()) {
                remove(*other);
                victims.push_back(other);
            }
        }
    }

    const Pod& pod_;
    const Cluster& cluster_;
    NodeState node_;
    CycleState state_;
};

/// Looks for victims on one node. Most nodes have no pod of lower priority, and are not copied.
Verdict dry_run(const Pod& pod,
                const Cluster& cluster,
                const NodeState& node,
                const CycleState& state,
                PreemptionCandidate& candidate) {
    if (std::ranges::none_of(node.pods(), [&](const CountedPod* other) {
            return other->pod.priority < pod.priority;
        })) {
        return {Code::unresolvable, {"No preemption victims found for incoming pod"}};
    }
    return DryRun(pod, cluster, node, state).run(candidate);
}

/// How many candidates are enough.
std::size_t wanted_candidates(std::size_t nodes, const Configuration& configuration) {
    const auto count = static_cast<std::int64_t>(nodes);
    return static_cast<std::size_t>(
        std::min(count,
                 std::max(count * configuration.min_candidate_nodes_percentage / 100,
                          configuration.min_candidate_nodes_absolute)));
}

void find_candidates(const Pod& pod,
                     const Cluster& cluster,
                     const CycleState& state,
                     const std::vector<std::size_t>& potential,
                     Preemption& found) {
    const std::size_t wanted = wanted_candidates(potential.size(), cluster.configuration());
    std::vector<PreemptionCandidate> violating;
    for (const std::size_t node : potential) {
        PreemptionCandidate candidate;
        Verdict verdict = dry_run(pod, cluster, cluster.nodes()[node], state, candidate);
        if (!verdict.is_success()) {
            found.dry_run.emplace(cluster.nodes()[node].node().name, std::move(verdict));
            continue;
        }
        (candidate.violations > 0 ? violating : found.candidates).push_back(std::move(candidate));
        if (!found.candidates.empty() && found.candidates.size() + violating.size() >= wanted) {
            break;
        }
    }
    violating.resize(std::min(violating.size(), wanted));
    std::ranges::move(violating, std::back_inserter(found.candidates));
}

/// The earliest start among the victims of the highest priority.
std::int64_t earliest_start(const PreemptionCandidate& candidate) {
    const std::int64_t highest =
        std::ranges::max(candidate.victims, {}, [](const CountedPod* victim) {
            return victim->pod.priority;
        })->pod.priority;
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (const CountedPod* victim : candidate.victims) {
        if (victim->pod.priority == highest) {
            earliest = std::min(earliest, victim->pod.start_time.value_or(earliest));
        }
    }
    return earliest;
}

/// Keeps those of the best candidates for which `cost` is least.
template <typename Cost>
void keep_least(std::vector<const PreemptionCandidate*>& best, Cost cost) {
    const auto least = cost(**std::ranges::min_element(
        best, {}, [&](const PreemptionCandidate* candidate) { return cost(*candidate); }));
    std::erase_if(best,
                  [&](const PreemptionCandidate* candidate) { return cost(*candidate) != least; });
}

void choose_best(Preemption& found) {
    for (const PreemptionCandidate& candidate : found.candidates) {
        found.best.push_back(&candidate);
    }
    keep_least(found.best, [](const auto& candidate) { return candidate.violations; });
    keep_least(found.best,
               [](const auto& candidate) { return candidate.victims.front()->pod.priority; });
    keep_least(found.best, [](const auto& candidate) {
        std::int64_t sum = 0;
        for (const CountedPod* victim : candidate.victims) {
            sum += victim->pod.priority + (std::int64_t{1} << 31);
        }
        return sum;
    });
    keep_least(found.best, [](const auto& candidate) { return candidate.victims.size(); });
    keep_least(found.best, [](const auto& candidate) { return -earliest_start(candidate); });
}

/// Why a pod may not preempt others; empty if it may.
std::string why_not_eligible(const Pod& pod, const Cluster& cluster, const Diagnosis& diagnosis) {
    if (pod.never_preempts) {
        return "not eligible due to preemptionPolicy=Never.";
    }
    const std::optional<std::size_t> nominated = cluster.find(pod.nominated_node);
    if (!nominated || diagnosis.of(pod.nominated_node).code == Code::unresolvable) {
        return "";
    }
    const Pods& pods = cluster.nodes()[*nominated].pods();
    const bool waits = std::ranges::any_of(pods, [&](const CountedPod* other) {
        return other->pod.priority < pod.priority && other->pod.leaves_by_preemption;
    });
    return waits ? "not eligible due to a terminating pod on the nominated node." : "";
}

}  // namespace

BudgetUse::BudgetUse(const std::vector<DisruptionBudget>& budgets, bool until_exceeded)
    : budgets_(budgets), until_exceeded_(until_exceeded) {
    for (const DisruptionBudget& budget : budgets) {
        left_.push_back(budget.allowed);
    }
}

bool BudgetUse::exceeds(const Pod& pod) {
    bool exceeds = false;
    for (std::size_t i = 0; i < budgets_.size() && !pod.labels.empty(); ++i) {
        const DisruptionBudget& budget = budgets_[i];
        const bool counts = budget.name_space == pod.name_space &&
                            !budget.pods.matches_everything() && budget.pods.matches(pod.labels) &&
                            !budget.disrupted.contains(pod.name);
        if (counts && !(exceeds && until_exceeded_)) {
            exceeds = --left_[i] < 0 || exceeds;
        }
    }
    return exceeds;
}

std::string message_of_claims(const Pod& pod,
                              const Cluster& cluster,
                              const Feasible& found,
                              const PodClaim*& deallocates) {
    if (pod.claims.empty() && cluster.configuration().version >= SchedulerVersion::v1_37) {
        return "";
    }
    if (!found.prefilter.state.claims) {
        return "no new claims to deallocate, ";
    }
    std::vector<const Node*> unavailable;
    for (const NodeState& node : cluster.nodes()) {
        const auto verdict = found.diagnosis.verdicts.find(node.node().name);
        if (verdict != found.diagnosis.verdicts.end() &&
            verdict->second.reasons.front() == unavailable_claim) {
            unavailable.push_back(&node.node());
        }
    }
    deallocates = cluster.claims().find_idle(pod, unavailable);
    return deallocates != nullptr ? "deallocation of ResourceClaim completed, "
                                  : "still not schedulable, ";
}

Preemption preempt(const Pod& pod, const Cluster& cluster, const Feasible& found) {
    const SchedulerVersion version = cluster.configuration().version;
    Preemption result;
    const std::string claims = message_of_claims(pod, cluster, found, result.deallocates);
    const auto message_of = [&](std::string_view text) {
        return fmt::format("{}preemption: {}", claims, text);
    };
    result.not_eligible = why_not_eligible(pod, cluster, found.diagnosis);
    if (!result.not_eligible.empty()) {
        result.message = message_of(result.not_eligible);
        return result;
    }
    std::vector<std::size_t> potential;
    for (std::size_t i = 0; i < cluster.nodes().size(); ++i) {
        if (found.diagnosis.of(cluster.nodes()[i].node().name).code == Code::unschedulable) {
            potential.push_back(i);
        }
    }
    result.has_potential = !potential.empty();
    find_candidates(pod, cluster, found.prefilter.state, potential, result);
    if (!result.candidates.empty()) {
        choose_best(result);
        if (version >= SchedulerVersion::v1_37) {
            const PreemptionCandidate& best = *result.best.front();
            result.message = message_of(
                fmt::format("found a potential placement for pod on node {}, preempting {} victims",
                            best.node,
                            best.victims.size()));
        }
        return result;
    }
    Diagnosis diagnosis;
    diagnosis.verdicts = std::move(result.dry_run);
    diagnosis.otherwise = {Code::unresolvable, {"Preemption is not helpful for scheduling"}};
    result.message = message_of(fit_error(cluster.nodes().size(), diagnosis));
    result.dry_run = std::move(diagnosis.verdicts);
    return result;
}

}  // namespace berth::core::kube
