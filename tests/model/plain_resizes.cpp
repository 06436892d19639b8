// How running and waiting groups change their sizes.
#include <algorithm>
#include <optional>
#include <tuple>

#include "tests/model/plain_inside.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

using core::Members;

PlainPlaces more_than(const PlainCounts& before, const PlainCounts& after) {
    PlainPlaces more;
    for (const auto& [server, count] : after) {
        const auto had = before.find(server);
        const Members joining = count - (had == before.end() ? 0 : had->second);
        if (joining > 0) {
            more.emplace_back(server, joining);
        }
    }
    return more;
}

void PlainRun::schedule_next_resize(std::size_t id) {
    const PlainJobState& job = jobs[id];
    if (job.resizes_done < job.job.resizes.size()) {
        push(std::max(job.job.resizes[job.resizes_done].at, now_), What::resize, id);
    }
}

void PlainRun::resize(std::size_t id) {
    PlainJobState& job = jobs[id];
    const Members size = job.job.resizes[job.resizes_done].size;
    ++job.resizes_done;
    if (job.start) {
        resize_running(id, size);
    } else {
        forget_refused_without(id);
        const bool all = job.job.min_available == job.job.size;
        job.job.size = size;
        job.job.min_available = all ? size : std::min(job.job.min_available, size);
        take_promise_back(id);
        job.unsettled = true;
        ask_for_cycle(now_);
    }
    quota_changed(job.job.quota);
    schedule_next_resize(id);
}

/// The servers of a group after it has grown or shrunk, if that is possible.
std::optional<PlainCounts> PlainRun::find_resized(const sim::Job& job,
                                                  Members size,
                                                  const PlainCounts& running) const {
    const PlainGang group{cluster_, job, size, case_.settings.profile.num_fit, running};
    const bool grows = size > count_of(running);
    const bool greedy = case_.settings.profile.solver == sim::Solver::greedy && grows;
    std::optional<PlainCounts> after;
    if (greedy) {
        const PlainPlaces places = place_greedily(group);
        after.emplace(places.begin(), places.end());
    } else {
        after = resize_best(group);
    }
    bool moves = false;  // the published greedy may lose a running member
    for (const auto& [server, count] : running) {
        moves = moves || (after && grows && (*after)[server] < count);
    }
    const PlainPlaces joining = after ? more_than(running, *after) : PlainPlaces();
    const bool served = servable(cluster_, job, joining) == count_of(joining);
    return after && count_of(*after) == size && !moves && served ? after : std::nullopt;
}

void PlainRun::resize_running(std::size_t id, Members size) {
    PlainJobState& job = jobs[id];
    PlainCounts running;
    for (const PlainStint& stint : job.stints) {
        if (!stint.finish) {
            ++running[tree_->node_of(core::ServerId{stint.server})];
        }
    }
    std::optional<PlainCounts> after = find_resized(job.job, size, running);
    if (size > job.placed && case_.settings.quotas) {
        PlainQuotaBook quotas = book();
        const Members more = size - job.placed;
        quotas.ask_for_more(job.job, more);
        if (quotas.admitted(job.job, more, more) < more) {
            after.reset();
        }
    }
    if (!after) {
        ++job.resizes_refused;
        return;
    }
    given_back_ = true;  // the group may hold less from now on
    for (const auto& [server, count] : running) {
        leave(job, tree_->server_of(server).index, count - (*after)[server]);
        if ((*after)[server] < count) {
            something_is_free();
        }
    }
    for (const auto& [server, count] : *after) {
        join(job, tree_->server_of(server).index, count - running[server]);
    }
    const bool all = job.job.min_available == job.job.size;
    job.job.size = size;
    job.job.min_available = all ? size : std::min(job.job.min_available, size);
    job.placed = size;
    ask_for_cycle_if_any_waits();
}

/// The members that came last leave first.
void PlainRun::leave(PlainJobState& job, std::uint32_t server, Members count) {
    for (; count > 0; --count) {
        PlainStint* last = nullptr;
        for (PlainStint& stint : job.stints) {
            const bool later = last == nullptr || std::tuple(stint.since, stint.number) >
                                                      std::tuple(last->since, last->number);
            if (!stint.finish && stint.server == server && later) {
                last = &stint;
            }
        }
        last->finish = now_;
        cluster_.release(job.job, server, last->grant);
        something_left(server);
    }
}

void PlainRun::join(PlainJobState& job, std::uint32_t server, Members count) {
    ++starts_;
    const core::NodeId node = tree_->node_of(core::ServerId{server});
    std::vector<PlainGrant> grants = grants_at(cluster_, job.job, {{node, count}});
    grants.resize(static_cast<std::size_t>(std::max<Members>(count, 0)));
    for (const PlainGrant& grant : grants) {
        job.pasts[job.numbered] = {.submit = now_};
        job.stints.push_back({job.numbered++, server, now_, std::nullopt, starts_, grant});
        cluster_.claim(job.job, server, 1);
        cluster_.take(server, grant);
    }
}

}  // namespace berth::tests
