#include "schedulers/kai/decide/evicting_actions.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "schedulers/kai/decide/failure_memory.hpp"
#include "schedulers/kai/decide/jobs_order.hpp"
#include "schedulers/kai/decide/min_runtime.hpp"
#include "schedulers/kai/decide/reclaim_rules.hpp"
#include "schedulers/kai/decide/victim_search.hpp"

namespace berth::core::kai {
namespace {

using MayBeVictim = std::function<bool(const Job&)>;

/// The orders of victims for one job: which jobs may be among them is asked once.
class VictimCandidates {
public:
    VictimCandidates(Session& session, MayBeVictim may_be_victim)
        : session_(session), may_be_victim_(std::move(may_be_victim)) {}

    JobsOrder order() {
        if (!candidates_) {
            candidates_.emplace();
            for (Job& job : session_.jobs) {
                if (may_be_victim_(job)) {
                    candidates_->push_back(&job);
                }
            }
        }
        JobsOrder order(session_, JobsOrder::Purpose::victims);
        for (Job* job : *candidates_) {
            order.offer(*job, {.must_be_preemptible = true, .must_be_active = true});
        }
        return order;
    }

private:
    Session& session_;
    MayBeVictim may_be_victim_;
    std::optional<std::vector<Job*>> candidates_;
};

/// The nodes that may have room for a job whose pods all ask for GPUs; otherwise all.
NodeSet feasible_nodes(const Session& session, const Job& job) {
    NodeSet nodes = session.all_nodes();
    const std::vector<PodIndex> pods = job.pods();
    if (std::ranges::all_of(pods,
                            [&](PodIndex pod) { return session.pods[pod].request[gpu] > 0; })) {
        std::erase_if(nodes, [&](NodeIndex node) {
            return session.nodes[node].idle[gpu] <= 0 && session.nodes[node].releasing[gpu] <= 0;
        });
    }
    return nodes;
}

/// Whether a pod asks for more than any node has.
bool is_too_large(const Session& session, Job& job) {
    Amounts most{};
    for (const Node& node : session.nodes) {
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            most[resource] = std::max(most[resource], node.allocatable[resource]);
        }
    }
    return std::ranges::any_of(job.pods_to_place(false, session.pods), [&](PodIndex pod) {
        const Vector& request = session.pods[pod].request;
        return request[0] > most[0] || request[1] > most[1] || request[2] > most[2];
    });
}

/// One attempt for a job.
using Attempt = std::function<std::optional<Statement>(Job&)>;

/// Tries each waiting job once, unless an equal one has failed before.
class EvictingAction {
public:
    EvictingAction(Session& session, bool has_one_memory)
        : session_(session), has_one_memory_(has_one_memory) {}

    void run(const JobFilter& filter,
             const std::function<bool(Job&)>& skips,
             const Attempt& try_job) {
        JobsOrder order(session_, JobsOrder::Purpose::service);
        for (Job& job : session_.jobs) {
            order.offer(job, filter);
        }
        while (!order.empty()) {
            Job& job = order.pop();
            if (skips(job)) {
                continue;
            }
            FailureMemory& failed =
                failed_.try_emplace(has_one_memory_ ? no_queue : job.spec().queue, session_)
                    .first->second;
            if ((session_.settings.uses_signatures && !failed.is_worth_a_try(job)) ||
                is_too_large(session_, job)) {
                continue;
            }
            if (std::optional<Statement> statement = try_job(job)) {
                statement->commit();
            } else {
                failed.remember(job);
            }
        }
    }

private:
    Session& session_;
    bool has_one_memory_;
    std::map<QueueIndex, FailureMemory> failed_;
};

constexpr JobFilter waiting{
    .must_be_pending = true, .must_be_ready = true, .must_be_past_delay = true};

/// The reclaim of one job.
class Reclaim {
public:
    Reclaim(Session& session, Job& job)
        : session_(session), job_(job), queues_before_(session.queues) {
        own_.queue = job.spec().queue;
        own_.is_preemptible = job.spec().is_preemptible;
        own_.request = charged(job.request(false, session.pods));
    }

    [[nodiscard]] bool may_be_victim(const Job& victim) const {
        return victim.spec().queue != own_.queue &&
               may_lose(session_.queues, own_, victim.spec().queue) &&
               (victim.is_elastic() ||
                !is_protected(session_, EvictionKind::reclaim, job_.spec(), victim));
    }

    [[nodiscard]] bool is_valid(const Scenario& scenario) const {
        Reclaimer part = own_;
        part.request = charged(scenario.preemptor().request(false, session_.pods));
        return is_fair_reclaim(
                   queues_before_, part, losses(scenario), session_.settings.reclaim_multiplier) &&
               keeps_min_runtimes(session_, EvictionKind::reclaim, job_.spec(), scenario);
    }

private:
    /// By queue: pods above what jobs need, one by one, and the others of a job together.
    [[nodiscard]] std::vector<Losses> losses(const Scenario& scenario) const {
        std::map<QueueIndex, Losses> by_queue;
        for (const auto& [index, victims] : scenario.victims_by_job()) {
            const Job& job = session_.jobs[index];
            std::vector<Batch> units;
            Batch core;
            for (const GroupIndex leaf : job.spec().leaves) {
                std::int64_t kept = job.needed(leaf);
                for (const PodIndex pod : victims) {
                    if (session_.pods[pod].leaf != leaf) {
                        continue;
                    }
                    if (kept-- > 0) {
                        core.push_back(pod);
                    } else {
                        units.push_back({pod});
                    }
                }
            }
            units.push_back(std::move(core));
            for (Batch& unit : units) {
                std::erase_if(unit, [&](PodIndex pod) {
                    return session_.settings.allows_consolidating_reclaim &&
                           session_.pods[pod].is(active);
                });
                if (!unit.empty()) {
                    Losses& own = by_queue[job.spec().queue];
                    own.queue = job.spec().queue;
                    own.entries.push_back(charged(session_.sum_of(unit)));
                }
            }
        }
        std::vector<Losses> all;
        for (auto& [queue, own] : by_queue) {
            all.push_back(std::move(own));
        }
        return all;
    }

    Session& session_;
    const Job& job_;
    Queues queues_before_;
    Reclaimer own_;
};

std::optional<Statement> search(Session& session,
                                Job& job,
                                VictimSearch::Validate validate,
                                MayBeVictim may_be_victim) {
    VictimCandidates candidates(session, std::move(may_be_victim));
    VictimSearch victims(session, std::move(validate), [&] { return candidates.order(); });
    return victims.solve(job, feasible_nodes(session, job));
}

}  // namespace

void reclaim(Session& session) {
    const auto skips = [&](Job& job) {
        return !may_reclaim(session.queues,
                            {job.spec().queue,
                             charged(job.request(false, session.pods)),
                             job.spec().is_preemptible});
    };
    EvictingAction(session, false).run(waiting, skips, [&](Job& job) {
        const Reclaim one(session, job);
        return search(
            session,
            job,
            [&](const Scenario& scenario) { return one.is_valid(scenario); },
            [&](const Job& victim) { return one.may_be_victim(victim); });
    });
}

void preempt(Session& session) {
    const auto never = [](Job& /*job*/) { return false; };
    EvictingAction(session, false).run(waiting, never, [&](Job& job) -> std::optional<Statement> {
        const JobSpec& own = job.spec();
        const Vector request = session.sum_of(job.pods_to_place(false, session.pods));
        if (session.is_over_quota(own, charged(request))) {
            return std::nullopt;
        }
        return search(
            session,
            job,
            [&](const Scenario& scenario) {
                return keeps_min_runtimes(session, EvictionKind::preempt, own, scenario);
            },
            [&](const Job& victim) {
                const JobSpec& other = victim.spec();
                return other.is_preemptible && other.priority < own.priority &&
                       other.queue == own.queue && victim.index() != job.index() &&
                       victim.has_active(session.pods) &&
                       (victim.is_elastic() ||
                        !is_protected(session, EvictionKind::preempt, own, victim));
            });
    });
}

void consolidate(Session& session) {
    if (session.settings.max_consolidation == 0) {
        return;
    }
    JobFilter filter = waiting;
    filter.must_be_preemptible = true;
    const auto never = [](Job& /*job*/) { return false; };
    EvictingAction(session, true).run(filter, never, [&](Job& job) -> std::optional<Statement> {
        double free = 0;
        for (const Node& node : session.nodes) {
            free += node.free[gpu];
        }
        if (free < session.sum_of(job.pods_to_place(false, session.pods))[gpu]) {
            return std::nullopt;
        }
        // KAI's test lets one job more through than its setting says, and takes them at random.
        std::int64_t left = session.settings.max_consolidation;
        return search(
            session,
            job,
            [&](const Scenario& scenario) {
                return std::ranges::none_of(scenario.victims(), [&](PodIndex pod) {
                    return session.pods[pod].status == Status::Releasing;
                });
            },
            [&](const Job& victim) {
                return victim.spec().is_preemptible && victim.index() != job.index() &&
                       victim.has_active(session.pods) &&
                       (session.settings.max_consolidation < 0 || left-- >= 0);
            });
    });
}

}  // namespace berth::core::kai
