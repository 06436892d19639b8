#include "schedulers/kube/decide/gang_cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "schedulers/kube/decide/gang_domains.hpp"

namespace berth::core::kube {
namespace {

/// The cluster during the cycle. Pods of the gang are in no queue, and kube-scheduler knows no more
/// than the names of those that are nominated. All is undone at the end.
class GangSnapshot {
public:
    GangSnapshot(const Gang& gang, Cluster& cluster) : cluster_(cluster) {
        for (const GangPod& member : gang.pods) {
            hide(member.pod);
        }
    }
    GangSnapshot(const GangSnapshot&) = delete;
    GangSnapshot& operator=(const GangSnapshot&) = delete;
    GangSnapshot(GangSnapshot&&) = delete;
    GangSnapshot& operator=(GangSnapshot&&) = delete;
    ~GangSnapshot() {
        for (; !assumed_.empty(); assumed_.pop_back()) {
            cluster_.release_claims(assumed_.back().first->pod);
            cluster_.remove(*assumed_.back().first, assumed_.back().second);
        }
        for (Pod& pod : nominated_) {
            cluster_.withdraw(pod.uid);
            cluster_.nominate(std::move(pod));
        }
    }

    void assume(Pod pod, std::size_t node) {
        pod.node_name = cluster_.nodes()[node].node().name;
        cluster_.reserve_claims(pod, node, DeviceClaims::Reservation::pending);
        assumed_.emplace_back(&cluster_.place(std::move(pod), node), node);
    }

private:
    void hide(const Pod& pod) {
        const auto& there = cluster_.nominated_to(pod.nominated_node);
        const auto known = std::ranges::find_if(
            there, [&](const CountedPod* one) { return one->pod.uid == pod.uid; });
        if (known == there.end()) {
            return;
        }
        nominated_.push_back((*known)->pod);
        cluster_.withdraw(pod.uid);
        Pod name_alone;
        name_alone.name = pod.name;
        name_alone.name_space = pod.name_space;
        name_alone.uid = pod.uid;
        name_alone.nominated_node = pod.nominated_node;
        cluster_.nominate(std::move(name_alone));
    }

    Cluster& cluster_;
    std::vector<std::pair<const CountedPod*, std::size_t>> assumed_;
    std::vector<Pod> nominated_;
};

/// What is said after the filters if pods do not preempt for themselves.
std::string afterwards(const Gang& gang,
                       const Pod& pod,
                       const Cluster& cluster,
                       const Feasible& found,
                       const PodClaim*& deallocates) {
    const bool in_one_domain = !gang.topology_key.empty();
    if (cluster.configuration().version >= SchedulerVersion::v1_37 ||
        (gang.preemption == GangPreemption::none && !in_one_domain)) {
        return "";
    }
    return message_of_claims(pod, cluster, found, deallocates) +
           (in_one_domain ? "preemption: not eligible due to placement-based pod group scheduling "
                            "limitation"
                          : "preemption: not eligible due to workload aware preemption enabled");
}

GangMember reject(
    const Pod& pod, const Gang& gang, const Cluster& cluster, const Feasible& found, Among among) {
    GangMember member;
    member.rejected_by = found.diagnosis.plugins;
    const auto take_from = [&](const PodClaim* claim) {
        member.deallocates = claim != nullptr ? std::optional(*claim) : std::nullopt;
    };
    if (gang.preemption != GangPreemption::by_each_pod) {
        const PodClaim* idle = nullptr;
        const std::string more = afterwards(gang, pod, cluster, found, idle);
        member.message = fit_error(
            among != nullptr ? among->size() : cluster.nodes().size(), found.diagnosis, more);
        take_from(idle);
        member.keeps_nomination = true;
        return member;
    }
    const Preemption preemption = preempt(pod, cluster, found);
    take_from(preemption.deallocates);
    member.message = fit_error(cluster.nodes().size(), found.diagnosis, preemption.message);
    member.keeps_nomination = !preemption.not_eligible.empty();
    if (!preemption.best.empty()) {
        member.preempts = *preemption.best.front();
        member.node = cluster.find(member.preempts->node);
    }
    return member;
}

/// Tries pods one after the other.
class GangTrial {
public:
    GangTrial(const Gang& gang, Cluster& cluster, Decider& decider, Among among)
        : gang_(gang), cluster_(cluster), decider_(decider), among_(among) {}

    GangMember next(const GangPod& next) {
        if (failed_ && failed_kind_ == next.kind && failed_at_ == cluster_.version() &&
            next.pod.nominated_node.empty()) {
            return *failed_;
        }
        const std::size_t begin = cluster_.next_start;
        const auto decided = decider_.decide(next.pod, among_);
        if (const auto* const choice = std::get_if<Choice>(&decided)) {
            GangMember member;
            member.node = choice->node;
            return member;
        }
        GangMember member = reject(next.pod, gang_, cluster_, std::get<Feasible>(decided), among_);
        failed_.reset();
        if (!member.node && cluster_.next_start == begin) {
            failed_ = member;
            failed_kind_ = next.kind;
            failed_at_ = cluster_.version();
        }
        return member;
    }

private:
    const Gang& gang_;
    Cluster& cluster_;
    Decider& decider_;
    Among among_;
    std::optional<GangMember> failed_;
    std::size_t failed_kind_ = 0;
    std::uint64_t failed_at_ = 0;
};

/// Why pods do not start for which there was a node, or which were not tried.
std::string message_of(const Gang& gang,
                       const GangCycle& cycle,
                       std::size_t placed,
                       SchedulerVersion version) {
    constexpr std::string_view group = "pod group is unschedulable";
    if (cycle.outcome == GangCycle::Outcome::waits_for_preemption) {
        return fmt::format("{}, pod group is waiting for preemption to complete", group);
    }
    if (version >= SchedulerVersion::v1_37) {
        return fmt::format("{}, minCount ({}) cannot be satisfied: {} scheduled, {} remaining",
                           group,
                           gang.min_count,
                           placed,
                           gang.pods.size() - cycle.members.size());
    }
    return fmt::format(
        "{}, waiting for minCount pods from a gang to be scheduled, one or more "
        "plugins asked to wait and no plugin rejected pod",
        group);
}

/// Completes the members of a group that does not start.
void tell_members(GangCycle& cycle, std::size_t pods) {
    const bool waits = cycle.outcome == GangCycle::Outcome::waits_for_preemption;
    for (GangMember& member : cycle.members) {
        if (member.node && !(waits && member.preempts)) {
            member.message = cycle.message;
        }
    }
    GangMember untried;
    untried.message = cycle.message;
    untried.is_tried = false;
    cycle.members.resize(pods, untried);
}

/// The cycle of one pod failed, which ends that of the group.
void fail(GangCycle& cycle, const std::string& error) {
    cycle.outcome = GangCycle::Outcome::failed;
    cycle.message = "failed to schedule other pod from a pod group: " + error;
    for (GangMember& member : cycle.members) {
        member.node.reset();
        member.message = cycle.message;
    }
    cycle.members.emplace_back().message = error;
}

/// The cycle of the group among some nodes, or all of them. Members of a group that does not start
/// are not complete.
GangCycle try_among(const Gang& gang, Cluster& cluster, Decider& decider, Among among) {
    GangCycle cycle;
    GangSnapshot snapshot(gang, cluster);
    GangTrial trial(gang, cluster, decider, among);
    std::size_t placed = gang.placed;
    bool preempts = false;
    for (const GangPod& next : gang.pods) {
        try {
            cycle.members.push_back(trial.next(next));
        } catch (const CycleError& error) {
            fail(cycle, error.what());
            return cycle;
        }
        const GangMember& member = cycle.members.back();
        if (member.node) {
            snapshot.assume(next.pod, *member.node);
            preempts = preempts || member.preempts;
            if (++placed >= gang.min_count) {
                cycle.outcome = preempts ? GangCycle::Outcome::waits_for_preemption
                                         : GangCycle::Outcome::placed;
            }
        }
        const std::size_t left = gang.pods.size() - cycle.members.size();
        if (cluster.configuration().version >= SchedulerVersion::v1_37 &&
            placed + left < gang.min_count) {
            break;
        }
    }
    if (cycle.outcome != GangCycle::Outcome::placed) {
        cycle.message = message_of(gang, cycle, placed, cluster.configuration().version);
    }
    return cycle;
}

/// The cycle of a group whose pods are to be in one domain: that in the best domain in which it
/// starts, or in the first one if it starts in none.
GangCycle try_domains(const Gang& gang, Cluster& cluster, Decider& decider) {
    std::vector<GangDomain> domains;
    GangCycle none;
    none.message = "no feasible placements found";
    try {
        domains = domains_of(gang, cluster);
    } catch (const CycleError& error) {
        none.outcome = GangCycle::Outcome::failed;
        none.message = error.what();
    }
    if (domains.empty()) {
        return none;
    }
    std::vector<GangDomain> suitable;
    std::vector<GangCycle> cycles;
    std::optional<GangCycle> first;
    for (GangDomain& domain : domains) {
        GangCycle cycle = try_among(gang, cluster, decider, &domain);
        if (cycle.outcome == GangCycle::Outcome::failed) {
            return cycle;
        }
        if (cycle.outcome == GangCycle::Outcome::placed) {
            suitable.push_back(std::move(domain));
            cycles.push_back(std::move(cycle));
        } else if (!first) {
            first = std::move(cycle);
        }
    }
    if (cycles.empty()) {
        first->message = fmt::format("0/{} placements are available, first placement status: {}",
                                     domains.size(),
                                     first->message);
        return *std::move(first);
    }
    const std::vector<std::int64_t> scores = scores_of_domains(gang, cluster, suitable, cycles);
    return std::move(
        cycles[static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin())]);
}

}  // namespace

GangCycle try_gang(const Gang& gang, Cluster& cluster, Decider& decider) {
    GangCycle cycle = gang.topology_key.empty() ? try_among(gang, cluster, decider, nullptr)
                                                : try_domains(gang, cluster, decider);
    if (cycle.outcome != GangCycle::Outcome::placed) {
        tell_members(cycle, gang.pods.size());
    }
    return cycle;
}

bool fits_on(const Gang& gang,
             const std::vector<std::optional<std::size_t>>& nodes,
             Cluster& cluster) {
    GangSnapshot snapshot(gang, cluster);
    for (std::size_t i = 0; i < gang.pods.size(); ++i) {
        if (!nodes[i]) {
            continue;
        }
        const Pod& pod = gang.pods[i].pod;
        const NodeState& node = cluster.nodes()[*nodes[i]];
        const PreFilter before = prefilter(pod, cluster);
        if (!before.verdict.is_success() ||
            (before.nodes && !before.nodes->contains(node.node().name)) ||
            !filter_with_nominated(pod, node, before.state, cluster).is_success()) {
            return false;
        }
        snapshot.assume(pod, *nodes[i]);
    }
    return true;
}

}  // namespace berth::core::kube
