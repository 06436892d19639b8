// The part of KubeScheduler that schedules the pods of a PodGroup together.

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "schedulers/kube/decide/gang_preemption.hpp"
#include "schedulers/kube/run/gang_inquiry.hpp"
#include "schedulers/kube/run/kube_scheduler.hpp"

namespace berth::sim {

namespace kube = core::kube;

using GangOutcome = kube::GangCycle::Outcome;

std::size_t KubeScheduler::min_count_of(const PodGroup& group) const {
    const Job& first = job(group.jobs.front());
    return group.min_count > 0
               ? group.min_count
               : static_cast<std::size_t>(std::min(first.min_available, first.size));
}

/// Whether too few pods of the group are there, with and without nodes.
bool KubeScheduler::is_gated(JobId id) const {
    const PodGroup* const group = groups_.of(id);
    if (group == nullptr) {
        return false;
    }
    std::size_t pods = 0;
    for (const JobId one : group->jobs) {
        pods += static_cast<std::size_t>(job(one).size);
    }
    return pods < min_count_of(*group);
}

/// Gangs whose cycle failed are tried again if anything has changed since. kube-scheduler takes
/// them from their backoff again and again whenever no other pod is active.
bool KubeScheduler::retry_gangs() {
    queue_.activate_parked(actions_.now(), [&](const QueuedPod& pod) {
        return pod.seen != nodes_.changes() && !is_gated(pod.job);
    });
    return queue_.can_pop();
}

/// All pods of a group that have no node, in the order in which they are tried; none if the group
/// has to wait for the end of its backoff, since it was tried twice at this instant.
std::vector<QueuedPod> KubeScheduler::waiting_members(const PodGroup& group, QueuedPod first) {
    const SimTime now = actions_.now();
    std::vector<QueuedPod> members;
    for (const JobId id : group.jobs) {
        std::ranges::move(queue_.take_all_of(id), std::back_inserter(members));
    }
    const bool has_to_wait = std::ranges::any_of(
        members, [&](const QueuedPod& pod) { return pod.taken_early == OptionalTime(now); });
    OptionalTime taken_early = first.taken_early;
    members.push_back(std::move(first));
    if (has_to_wait) {
        queue_.let_rest(std::move(members));
        return {};
    }
    if (std::ranges::any_of(members, [&](const QueuedPod& pod) {
            return pod.since == now && pod.failures + pod.errors > 0;
        })) {
        taken_early = now;
    }
    for (QueuedPod& pod : members) {
        pod.taken_early = taken_early;
    }
    std::ranges::sort(
        members, {}, [](const QueuedPod& pod) { return std::tuple(-pod.priority, pod.number); });
    return members;
}

kube::Gang KubeScheduler::gang_of(const PodGroup& group, const std::vector<QueuedPod>& members) {
    kube::Gang gang;
    gang.min_count = min_count_of(group);
    for (const JobId id : group.jobs) {
        gang.placed += nodes_.count(id);
    }
    if (!group.topology_key.empty()) {
        gang.topology_key = group.topology_key;
        gang.preemption = kube::GangPreemption::none;
        gang.nodes_of_placed = nodes_.positions_of(group.jobs);
    } else if (own_.gangs->preempts_as_a_whole) {
        gang.preemption = kube::GangPreemption::as_a_whole;
    } else if (nodes_.cluster().configuration().version >= kube::SchedulerVersion::v1_37) {
        gang.preemption = kube::GangPreemption::none;
    }
    std::map<JobId, std::uint64_t> ahead;
    std::map<Template, std::size_t> kinds;
    for (const QueuedPod& member : members) {
        const std::size_t kind = kinds.emplace(jobs_[member.job].pod, kinds.size()).first->second;
        gang.pods.push_back({object_of(member, ahead[member.job]++), kind});
    }
    return gang;
}

/// Looks for pods that leave for a whole gang. Since 1.37, its pods then wait for the nodes that
/// they found without these.
void KubeScheduler::preempt_for(const kube::Gang& gang,
                                std::int64_t priority,
                                kube::GangCycle& cycle) {
    kube::GangVictims victims =
        kube::preempt_for_gang(gang, priority, groups_.whole(), nodes_.cluster());
    if (victims.pods.empty()) {
        return;
    }
    cycle.outcome = GangOutcome::waits_for_preemption;
    cycle.victims = std::move(victims.pods);
    for (std::size_t i = 0; i < victims.nodes.size(); ++i) {
        cycle.members[i].node = victims.nodes[i];
    }
}

void KubeScheduler::cycle_of_gang(const PodGroup& group, QueuedPod first) {
    const std::vector<QueuedPod> members = waiting_members(group, std::move(first));
    if (members.empty()) {
        return;
    }
    cycles_ += members.size() - 1;
    if (nodes_.cluster().nodes().empty()) {
        for (const QueuedPod& member : members) {
            note_error(member, "no nodes available to schedule pods");
        }
        return;
    }
    budgets_.update(nodes_.cluster());
    const kube::Gang gang = gang_of(group, members);
    kube::GangCycle cycle = kube::try_gang(gang, nodes_.cluster(), nodes_.decider());
    if (cycle.outcome == GangOutcome::unschedulable &&
        gang.preemption == kube::GangPreemption::as_a_whole) {
        preempt_for(gang, group.priority, cycle);
    }
    tell_of_gang(members, gang, cycle);
    std::vector<const kube::CountedPod*> victims = cycle.victims;
    for (const kube::GangMember& member : cycle.members) {
        if (member.preempts) {
            victims.insert(
                victims.end(), member.preempts->victims.begin(), member.preempts->victims.end());
        }
    }
    const bool goes_on =
        !cycle.victims.empty() && members.front().taken_early != OptionalTime(actions_.now());
    const GangDecision decision{cycle.outcome, goes_on, nodes_.changes()};
    for (std::size_t i = 0; i < members.size(); ++i) {
        settle(members[i], gang.pods[i].pod, cycle.members[i], decision);
    }
    std::vector<std::pair<const kube::Pod*, const kube::PodClaim*>> idle;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (cycle.members[i].deallocates) {
            idle.emplace_back(&gang.pods[i].pod, &*cycle.members[i].deallocates);
        }
    }
    deallocate(idle);
    evict_all(victims);
}

/// Does what the cycle of its group decided for one pod.
void KubeScheduler::settle(const QueuedPod& pod,
                           const kube::Pod& object,
                           const kube::GangMember& found,
                           const GangDecision& decision) {
    const GangOutcome outcome = decision.outcome;
    const std::size_t node = found.node.value_or(0);
    if (outcome == GangOutcome::placed && found.node) {
        start(pod, object_of(pod), node);
        return;
    }
    if (found.preempts) {
        clear_nominations(object, found.preempts->node);
    }
    if (outcome == GangOutcome::failed) {
        nodes_.withdraw(pod.number);
        queue_.put_back_after_error(pod, actions_.now());
        return;
    }
    if (outcome == GangOutcome::waits_for_preemption && found.node) {
        kube::Pod waiting = object;
        waiting.nominated_node = nodes_.cluster().nodes()[node].node().name;
        nodes_.nominate(std::move(waiting));
    } else if (!found.keeps_nomination) {
        nodes_.withdraw(pod.number);
    }
    // As in kube-scheduler, no plugin rejected a pod for which a node was found.
    const bool is_rejected = !found.node || outcome == GangOutcome::waits_for_preemption;
    queue_.park(pod,
                is_rejected ? found.rejected_by : std::set<std::string_view>(),
                decision.seen,
                actions_.now(),
                decision.goes_on);
}

/// Tells each job of the gang why its pods do not start, and who watches one of them. Pods without
/// a node have more to tell than those with one.
void KubeScheduler::tell_of_gang(const std::vector<QueuedPod>& members,
                                 const kube::Gang& gang,
                                 const kube::GangCycle& cycle) {
    std::map<JobId, Failure> failures;
    std::set<JobId> started;
    for (const bool has_node : {false, true}) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            const kube::GangMember& found = cycle.members[i];
            if (found.node.has_value() != has_node) {
                continue;
            }
            if (found.message.empty()) {
                started.insert(members[i].job);
                continue;
            }
            Failure& failure =
                failures.try_emplace(members[i].job, Failure{0, {}, found.message}).first->second;
            failure.rejected_by.insert(found.rejected_by.begin(), found.rejected_by.end());
        }
    }
    for (const auto& one : failures) {
        const JobId id = one.first;
        const Failure& failure = one.second;
        if (started.contains(id)) {
            jobs_[id].message = failure.message;
            continue;
        }
        note_message(id, failure, [&] {
            GangInquiry::Asked asked;
            for (std::size_t i = 0; i < members.size(); ++i) {
                if (members[i].job == id) {
                    asked.pods.insert(gang.pods[i].pod.uid);
                }
            }
            // A job that is a gang by itself needs as many pods as its group.
            const bool is_own = groups_.of(id)->min_count == 0;
            const auto needed = is_own ? 0 : static_cast<std::size_t>(job(id).min_available);
            asked.lacks = std::max(needed, nodes_.count(id) + 1) - nodes_.count(id);
            return std::make_shared<GangInquiry>(
                gang, cycle, asked, nodes_.cluster(), nodes_.decider());
        });
    }
}

}  // namespace berth::sim
