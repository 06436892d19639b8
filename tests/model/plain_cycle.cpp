#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tests/model/plain_gpus.hpp"
#include "tests/model/plain_inside.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

using core::Members;
using sim::SimTime;

void PlainRun::ask_for_cycle(SimTime from) {
    const SimTime period = case_.settings.period;
    const SimTime rest = period > SimTime(0) ? from % period : SimTime(0);
    const SimTime at = rest > SimTime(0) ? from - rest + period : from;
    if (!cycle_at_ || at < *cycle_at_) {
        drop_event(What::cycle, 0);
        cycle_at_ = at;
        push(at, What::cycle, 0);
    }
}

void PlainRun::ask_for_cycle_if_any_waits() {
    if (std::ranges::any_of(jobs, &PlainJobState::waits)) {
        ask_for_cycle(now_);
    }
}

/// The resource that counts as attained service: GPUs, or CPUs if no server has GPUs, whether the
/// servers are up or not.
std::size_t PlainRun::service_resource() const {
    bool any = false;
    for (const std::uint32_t type : case_.tree.type_of) {
        const std::vector<core::Amount>& has = case_.tree.types[type];
        any = any || (has.size() > gpu_resource && has[gpu_resource] > 0);
    }
    return any ? gpu_resource : 0;
}

/// The rank of a job in the queue's order; smaller ranks are tried first.
std::int64_t PlainRun::rank(const PlainJobState& job) const {
    const bool fills = case_.queue.ends_with("backfill");
    const std::string& order = fills ? case_.order : case_.queue;
    const auto stated = job.job.estimate ? job.job.estimate : job.job.duration;
    if (order == "priority") {
        return -job.job.priority;
    }
    if (order == "shortest-job") {
        return stated.value_or(sim::never).count();
    }
    if (order == "longest-job") {
        return stated ? -stated->count() : sim::never.count();
    }
    return order == "least-attained-service" ? job.service : 0;
}

/// Usage in seconds of the whole cluster, by the largest share that a pod takes of any resource;
/// usage one half-life ago counts half.
double PlainRun::usage_of(const std::string& owner) const {
    const auto half_life = static_cast<double>(case_.half_life.count());
    const auto weight = [&](SimTime from, SimTime to) {
        const auto age = [&](SimTime at) {
            return std::exp2(-static_cast<double>((now_ - at).count()) / half_life);
        };
        return half_life / std::log(2.0) * (age(to) - age(from));
    };
    const auto weight_of = [&](const PlainJobState& job, const PlainStint& stint) {
        double sum = 0;
        for (std::size_t i = 0; i < job.owners.size(); ++i) {
            const SimTime left = stint.finish.value_or(now_);
            const SimTime from = std::max(stint.start, job.owners[i].first);
            const SimTime to =
                i + 1 < job.owners.size() ? std::min(left, job.owners[i + 1].first) : left;
            sum += job.owners[i].second == owner && from < to ? weight(from, to) : 0;
        }
        return sum;
    };
    double used = 0;
    for (const PlainJobState& job : jobs) {
        double part = 0;
        for (std::size_t r = 0; r < job.job.demand.size(); ++r) {
            double all = 0;
            for (std::uint32_t server = 0; server < cluster_.free.size(); ++server) {
                all += static_cast<double>(cluster_.capacity(server, r));
            }
            part = std::max(part, static_cast<double>(job.job.demand[r]) / all);
        }
        for (const auto* stints : {&job.stints, &job.evicted_stints}) {
            for (const PlainStint& stint : *stints) {
                used += part * weight_of(job, stint);
            }
        }
    }
    return used;
}

/// The rank of a job's user or quota, which comes before any other order.
double PlainRun::owner_rank(const PlainJobState& job) const {
    if (case_.queue == "fair-share") {
        return usage_of(case_.settings.quotas ? job.job.quota : job.job.user);
    }
    double share = 0;
    const std::vector<core::Amount> total = cluster_total(false);
    for (std::size_t r = 0; case_.queue == "drf" && r < total.size(); ++r) {
        const auto used = static_cast<double>(book().used(job.job.quota, r));
        share = total[r] > 0 ? std::max(share, used / static_cast<double>(total[r])) : share;
    }
    return share;
}

/// Notes usages that are too close for doubles to tell, since the run counts in whole nanoseconds.
void PlainRun::look_for_ties(const std::vector<double>& ranks) {
    constexpr double part = 1e-6;
    constexpr double nanoseconds = 4;
    for (const double a : ranks) {
        for (const double b : ranks) {
            const bool close = a < b && b - a < std::max(part * b, nanoseconds);
            any_tie = any_tie || (case_.queue == "fair-share" && close);
        }
    }
}

/// The waiting jobs, in the order in which they are tried.
std::vector<std::size_t> PlainRun::queue() {
    std::vector<double> ranks;
    std::vector<std::tuple<double, std::int64_t, std::uint64_t, std::size_t>> order;
    for (std::size_t id = 0; id < jobs.size(); ++id) {
        if (jobs[id].waits()) {
            ranks.push_back(owner_rank(jobs[id]));
            order.emplace_back(ranks.back(), rank(jobs[id]), jobs[id].entry, id);
        }
    }
    look_for_ties(ranks);
    std::ranges::sort(order);
    std::vector<std::size_t> ids;
    for (const auto& entry : order) {
        ids.push_back(std::get<3>(entry));
    }
    return ids;
}

/// The place where the job would start, if there is one.
std::optional<PlainPlaces> PlainRun::find_place(const PlainCluster& cluster,
                                                const sim::Job& job,
                                                Members members) const {
    if (!job.group) {
        const auto server = best_server(cluster, job, case_);
        return server ? std::optional(PlainPlaces{{tree_->node_of(core::ServerId{*server}), 1}})
                      : std::nullopt;
    }
    while (members >= job.min_available) {
        const PlainGang group{cluster, job, members, case_.settings.profile.num_fit};
        PlainPlaces places;
        if (case_.settings.profile.solver == sim::Solver::greedy) {
            places = place_greedily(group);
        } else {
            const PlainCounts counts = place_best(group);
            places.assign(counts.begin(), counts.end());
        }
        if (count_of(places) < job.min_available) {
            return std::nullopt;
        }
        // Servers that share something may serve fewer members: then only as many are placed.
        members = servable(cluster, job, places);
        if (members == count_of(places)) {
            return places;
        }
    }
    return std::nullopt;
}

namespace {

bool same(const core::LevelConstraint& a, const core::LevelConstraint& b) {
    const auto range = [](const core::LevelConstraint& of) {
        return of.range ? std::pair(of.range->min, of.range->max)
                        : std::pair<Members, Members>(0, 0);
    };
    return a.affinity == b.affinity && a.hard == b.hard && range(a) == range(b) &&
           a.partitions == b.partitions && a.factor == b.factor && a.scope == b.scope;
}

}  // namespace

bool ask_the_same(const sim::Job& a, const sim::Job& b) {
    const auto limit = [](const sim::Job& job) {
        return std::pair(job.per_server_max, job.per_server_max > 0 ? job.application : "");
    };
    const auto models = [](const sim::Job& job) { return gpus_asked(job).models; };
    bool alike = a.demand == b.demand && a.size == b.size && a.min_available == b.min_available &&
                 a.group == b.group && limit(a) == limit(b) && models(a) == models(b) &&
                 a.inside() == b.inside();
    for (std::uint32_t level = 0; alike && a.group && level < a.constraints->level_count();
         ++level) {
        alike = same(a.constraints->at(core::Level{level}), b.constraints->at(core::Level{level}));
    }
    return alike;
}

/// With preemption, jobs of different priorities may be able to do different things.
bool PlainRun::of_one_class(const sim::Job& a, const sim::Job& b) const {
    const bool preempts = case_.settings.quotas && case_.settings.quotas->preemption;
    return ask_the_same(a, b) && a.quota == b.quota && a.preemptible == b.preemptible &&
           (!preempts || a.priority == b.priority);
}

bool PlainRun::may_be_tried(const sim::Job& job) const {
    const auto refused = [&](const Refused& other) {
        return other.whole_kind ? ask_the_same(job, other.kind) : of_one_class(job, other.kind);
    };
    return (std::ranges::none_of(refused_, refused) || may_look_for_victims(job)) &&
           !is_held_back(job);
}

bool PlainRun::is_held_back(const sim::Job& job) const {
    return std::ranges::any_of(held_back_,
                               [&](const sim::Job& other) { return of_one_class(job, other); });
}

void PlainRun::something_is_free() {
    refused_.clear();
}

/// A job no longer asks for what it did: kinds of requests that no other job has may be tried
/// again.
void PlainRun::forget_refused_without(std::size_t id) {
    const auto any_other = [&](auto alike) {
        return std::ranges::any_of(jobs, [&](const PlainJobState& job) {
            return job.waits() && &job != &jobs[id] && alike(job.job);
        });
    };
    std::erase_if(refused_, [&](const Refused& refused) {
        return !any_other([&](const sim::Job& job) {
            return refused.whole_kind ? ask_the_same(job, refused.kind)
                                      : of_one_class(job, refused.kind);
        });
    });
    std::erase_if(held_back_, [&](const sim::Job& kind) {
        return !any_other([&](const sim::Job& job) { return of_one_class(job, kind); });
    });
}

/// Tries the waiting jobs in turn, until there is none left to try. A job that found no place, and
/// any job that asks for the same, is not tried again before something was given back; a job
/// that was not admitted, not before its quota may admit more (decision 15).
void PlainRun::cycle() {
    cycle_at_.reset();
    const bool plans = case_.settings.retry && case_.queue.ends_with("backfill");
    if (plans && case_.queue == "conservative-backfill") {
        cycle_of_promises();
        return;
    }
    bool held_up = false;
    for (bool next = true; next;) {
        const std::vector<std::size_t> order = queue();
        const auto first =
            std::ranges::find_if(order, [&](std::size_t id) { return may_be_tried(jobs[id].job); });
        next = first != order.end() && try_to_start(*first);
        held_up = first != order.end() && !next;
    }
    if (held_up && plans) {
        fill_holes();
    } else if (!held_up) {
        look_for_overlooked();
    }
}

/// Returns whether the jobs behind it get their turn.
bool PlainRun::try_to_start(std::size_t id) {
    const sim::Job& job = jobs[id].job;
    const Members members = admitted(job);
    if (members == 0) {
        return preempt_for(id) || refuse(id, true, false);
    }
    if (const auto places = find_place(cluster_, job, members)) {
        start(id, *places);
        return true;
    }
    return preempt_for(id) || refuse(id, false, members == job.size);
}

bool PlainRun::refuse(std::size_t id, bool by_quota, bool whole_kind) {
    if (!case_.settings.retry) {
        jobs[id].ended = true;
        jobs[id].outcome = sim::Outcome::dropped;
        drop_event(What::resize, id);
        quota_changed(jobs[id].job.quota);
    } else if (by_quota) {
        held_back_.push_back(jobs[id].job);
    } else if (case_.queue != "fcfs" && !case_.queue.ends_with("backfill")) {
        refused_.push_back({jobs[id].job, whole_kind});
        looked_for_victims_.push_back(jobs[id].job);
    } else {
        return false;
    }
    return true;
}

std::int64_t PlainRun::run_time_factor(const sim::Job& job, const PlainPlaces& on) const {
    const std::vector<sim::SlowDown>& classes = case_.settings.run_time;
    if (classes.empty()) {
        return 1000;
    }
    std::size_t of = 0;
    for (std::size_t i = classes.size(); i-- > 0;) {
        of = classes[i].job_class == job.job_class ? i : of;
    }
    std::uint32_t level = 0;
    for (std::uint32_t deeper = 0; deeper < tree_->level_count(); ++deeper) {
        std::set<core::NodeId> nodes;
        for (const auto& [server, count] : on) {
            nodes.insert(tree_->ancestor(server, core::Level{deeper}));
        }
        level = nodes.size() == 1 ? deeper : level;
    }
    return classes[of].by_level[level];
}

/// Starts a job. Its members take the lowest numbers, except those of members that left in a
/// resize.
void PlainRun::start(std::size_t id, const PlainPlaces& places) {
    PlainJobState& job = jobs[id];
    job.start = now_;
    job.placed = count_of(places);
    job.factor = run_time_factor(job.job, places);
    quota_changed(job.job.quota);
    ++starts_;
    std::set<Members> taken;
    for (const PlainStint& stint : job.stints) {
        taken.insert(stint.number);
    }
    std::vector<PlainGrant> grants =
        places.grants.empty() ? grants_at(cluster_, job.job, places) : places.grants;
    grants.resize(static_cast<std::size_t>(job.placed));
    auto grant = grants.begin();
    Members number = 0;
    for (const auto& [node, count] : places) {
        const std::uint32_t server = tree_->server_of(node).index;
        for (Members i = 0; i < count; ++i) {
            while (taken.contains(number)) {
                ++number;
            }
            job.stints.push_back({number, server, now_, std::nullopt, starts_, *grant});
            cluster_.take(server, *grant++);
            job.numbered = std::max(job.numbered, ++number);
        }
        cluster_.claim(job.job, server, count);
    }
    if (job.left) {
        __extension__ using Wide = __int128;
        const Wide run = (Wide{job.left->count()} * job.factor + 500) / 1000;
        push(now_ + SimTime(static_cast<std::int64_t>(run)), What::finish, id);
    }
}

}  // namespace berth::tests
