// A pod preempts pods of its own quota, as docs/reference/experiment.md describes it under
// `in-quota-preemption`.

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

/// The victims on one server: all pods that may be preempted are taken out. Then each one that can
/// stay is put back, the most important first.
std::optional<std::vector<std::size_t>> PlainRun::victims_on(std::uint32_t server,
                                                             std::size_t id) const {
    const sim::Job& job = jobs[id].job;
    std::vector<std::size_t> there;
    for (std::size_t other = 0; other < jobs.size(); ++other) {
        const sim::Job& pod = jobs[other].job;
        const bool may_go = jobs[other].runs() && !pod.group && pod.preemptible &&
                            pod.quota == job.quota && pod.priority < job.priority;
        if (may_go && jobs[other].stints.back().server == server) {
            there.push_back(other);
        }
    }
    std::ranges::stable_sort(there, {}, [&](std::size_t other) {
        return std::tuple(-jobs[other].job.priority, *jobs[other].start);
    });
    PlainCluster cluster = cluster_;
    PlainQuotaBook quotas = book();
    const auto put_back = [&](std::size_t other) {
        cluster.claim(jobs[other].job, server, 1);
        cluster.take(server, jobs[other].stints.back().grant);
        quotas.run_more(jobs[other].job, 1);
    };
    const auto take_out = [&](std::size_t other) {
        cluster.release(jobs[other].job, server, jobs[other].stints.back().grant);
        quotas.run_more(jobs[other].job, -1);
    };
    std::ranges::for_each(there, take_out);
    if (!cluster.has_room(job, server)) {
        return std::nullopt;  // even if a greedy choice of devices would succeed with fewer free
    }
    std::vector<std::size_t> victims;
    for (const std::size_t other : there) {
        put_back(other);
        if (!cluster.has_room(job, server) || quotas.would_exceed(job)) {
            take_out(other);
            victims.push_back(other);
        }
    }
    const bool helps = cluster.has_room(job, server) && quotas.admitted(job, 1, 1) == 1;
    return helps && !victims.empty() ? std::optional(victims) : std::nullopt;
}

/// The server whose most important victim is least important; then the one with the lowest sum of
/// priorities, with the fewest victims, and with the latest start of its most important victim.
std::optional<PlainRun::Preemption> PlainRun::find_preemption(std::size_t id) const {
    const bool may = case_.settings.quotas && case_.settings.quotas->preemption &&
                     (jobs[id].job.quota != core::default_quota_name ||
                      case_.settings.quotas->preemption->default_group);
    using Rank = std::tuple<std::int64_t, std::int64_t, std::size_t, sim::SimTime>;
    std::map<Rank, Preemption> options;
    for (std::uint32_t server = 0; may && !jobs[id].job.group && server < cluster_.free.size();
         ++server) {
        const auto victims = victims_on(server, id);
        if (!victims) {
            continue;
        }
        const PlainJobState& highest = jobs[victims->front()];
        std::int64_t sum = 0;
        for (const std::size_t victim : *victims) {
            sum += jobs[victim].job.priority;
        }
        const Rank rank{highest.job.priority, sum, victims->size(), -*highest.start};
        options.try_emplace(rank, Preemption{server, *victims});  // keeps the first of equal ones
    }
    return options.empty() ? std::nullopt : std::optional(options.begin()->second);
}

/// Returns whether the pod started.
bool PlainRun::preempt_for(std::size_t id) {
    const auto found = find_preemption(id);
    if (found) {
        forget_refused_without(id);
        take_promise_back(id);
        for (const std::size_t victim : found->victims) {
            evict(victim, sim::EvictionCause::preempted);
        }
        start(id, {{tree_->node_of(core::ServerId{found->server}), 1}});
    }
    return found.has_value();
}

/// Something was given back on a server: the quotas of preemptible pods there are asked again,
/// since the free room and preemption together may suffice (decision 15). If servers share
/// something, this holds for pods on any server.
void PlainRun::something_left(std::uint32_t server) {
    const bool preempts = case_.settings.quotas && case_.settings.quotas->preemption;
    if (preempts && cluster_.has_providers && cluster_.providers.any_shared()) {
        held_back_.clear();
        looked_for_victims_.clear();
    }
    for (const PlainJobState& job : jobs) {
        const bool may_go = preempts && job.runs() && !job.job.group && job.job.preemptible;
        if (may_go && job.stints.back().server == server) {
            wake(job.job.quota);
        }
    }
}

/// A job that was refused for lack of room may look for victims once, and again when its quota is
/// woken.
bool PlainRun::may_look_for_victims(const sim::Job& job) const {
    return case_.settings.quotas && case_.settings.quotas->preemption && !job.group &&
           std::ranges::none_of(looked_for_victims_,
                                [&](const sim::Job& other) { return of_one_class(job, other); });
}

/// Notes waiting jobs that could preempt but are not tried: by decision 15, only what wakes a job's
/// quota can give it victims that help.
void PlainRun::look_for_overlooked() {
    for (const std::size_t id : queue()) {
        const bool held_back = std::ranges::any_of(
            held_back_, [&](const sim::Job& kind) { return of_one_class(jobs[id].job, kind); });
        if (!held_back && find_preemption(id)) {
            overlooked += jobs[id].job.name + " ";
        }
    }
}

}  // namespace berth::tests
