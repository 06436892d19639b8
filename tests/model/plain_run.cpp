#include "tests/model/plain_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <tuple>

#include "tests/model/plain_gpu_metrics.hpp"
#include "tests/model/plain_gpu_policies.hpp"
#include "tests/model/plain_inside.hpp"

namespace berth::tests {

using core::Members;
using sim::SimTime;

namespace {

__extension__ using Wide = __int128;

/// How much work is done in this time, rounded down.
SimTime work_in(SimTime time, std::int64_t factor) {
    return SimTime(static_cast<std::int64_t>(Wide{time.count()} * 1000 / factor));
}

}  // namespace

PlainRun::PlainRun(const PlainCase& of) : case_(of), tree_(of.tree.topology()) {
    cluster_.tree = tree_.get();
    cluster_.up.assign(case_.tree.servers(), true);
    for (const core::ServerId server : case_.settings.absent) {
        cluster_.up[server.index] = false;
    }
    for (std::uint32_t server = 0; server < case_.tree.servers(); ++server) {
        std::vector<core::Amount> free = case_.tree.types[case_.tree.type_of[server]];
        for (std::size_t r = 0; r < free.size(); ++r) {
            free[r] -= case_.outside[server][r];
        }
        cluster_.free.push_back(std::move(free));
    }
    std::vector<core::Amount> outside;
    for (const std::vector<core::Amount>& amounts : case_.outside) {
        outside.push_back(amounts.size() > gpu_resource ? amounts[gpu_resource] : 0);
    }
    if (case_.settings.profile.inside.gpus) {
        sharing_ = sharing_of(case_);
        cluster_.gpus = PlainGpus(*tree_, outside);
        cluster_.sharing = &sharing_;
    }
    if (const auto& devices = case_.settings.profile.inside.devices) {
        cluster_.devices = PlainDevices(*tree_, *devices, outside);
        cluster_.has_devices = true;
    }
    if (const auto& candidates = case_.settings.profile.inside.candidates) {
        cluster_.providers = PlainProviders(*tree_, candidates->choice, case_.outside);
        cluster_.has_providers = true;
    }
}

void PlainRun::push(SimTime at, What what, std::size_t subject) {
    events_.push_back({at, what, pushed_++, subject});
}

void PlainRun::drop_event(What what, std::size_t subject) {
    std::erase_if(events_, [&](const Event& event) {
        return event.what == what && event.subject == subject;
    });
}

std::optional<PlainRun::Event> PlainRun::next_event() {
    const auto first = std::ranges::min_element(events_, {}, [](const Event& event) {
        return std::tuple(event.at, event.what, event.number);
    });
    if (first == events_.end() || first->at > case_.settings.until) {
        return std::nullopt;
    }
    const Event event = *first;
    events_.erase(first);
    return event;
}

void PlainRun::run() {
    for (std::size_t i = 0; i < case_.settings.node_changes.size(); ++i) {
        push(case_.settings.node_changes[i].at, What::node_change, i);
    }
    if (case_.settings.quotas) {
        quotas_ = case_.settings.quotas->quotas;
        for (std::size_t i = 0; i < case_.settings.quotas->changes.size(); ++i) {
            push(case_.settings.quotas->changes[i].at, What::quota_change, i);
        }
        if (case_.settings.quotas->recycler) {
            push(now_, What::recycle, 0);
        }
    }
    if (!case_.jobs.empty()) {
        push(case_.jobs.front().submit, What::submit, 0);
    }
    while (const auto event = next_event()) {
        measure_until(event->at);
        now_ = event->at;
        handle(*event);
        if (event->what >= What::refresh) {
            next_refresh_ = now_ + SimTime(1);  // the refresh of this instant has passed
        }
        ask_for_refresh();
    }
    end = case_.settings.until != sim::never ? case_.settings.until : now_;
    measure_until(end);
    for (PlainJobState& job : jobs) {
        if (!job.ended) {
            job.outcome = job.start ? sim::Outcome::running : sim::Outcome::waiting;
        }
    }
}

/// Measures up to this time, until which nothing changes.
void PlainRun::measure_until(SimTime time) {
    if (cluster_.sharing != nullptr) {
        constexpr std::size_t satisfied = 2;
        const std::array<double, 7> parts = free_gpus(cluster_);
        const double idle = std::accumulate(parts.begin(), parts.end(), 0.0);
        idle_seconds += idle * sim::seconds(time - now_);
        fragment_seconds += (idle - parts[satisfied]) * sim::seconds(time - now_);
    }
}

void PlainRun::handle(const Event& event) {
    switch (event.what) {
        case What::finish:
            finish(event.subject);
            break;
        case What::node_change:
            change_node(case_.settings.node_changes[event.subject]);
            break;
        case What::quota_change:
            change_quotas(case_.settings.quotas->changes[event.subject]);
            break;
        case What::resize:
            resize(event.subject);
            break;
        case What::submit:
            submit(event.subject);
            break;
        case What::refresh:
            refresh();
            break;
        case What::recycle:
            look_at_quotas();
            break;
        case What::cycle:
            cycle();
            break;
    }
}

void PlainRun::submit(std::size_t id) {
    PlainJobState& job = jobs.emplace_back();
    job.job = case_.jobs[id];
    job.label = job.job.quota;
    belongs_to(job, owner_of(job));
    job.left = job.job.duration;
    job.entry = entries_++;
    if (id + 1 < case_.jobs.size()) {
        push(case_.jobs[id + 1].submit, What::submit, id + 1);
    }
    if (case_.settings.quotas && book().is_parent(job.job.quota)) {
        job.ended = true;
        job.outcome = sim::Outcome::rejected;
        return;
    }
    quota_changed(job.job.quota);
    // A pod that already runs was not placed by the scheduler, and the limit of an application only
    // concerns placements.
    if (job.job.servers) {
        const core::ServerId on = job.job.servers->front();
        if (cluster_.has_amounts(job.job, on.index) && cluster_.serves(job.job, on.index, 1) > 0) {
            start(id, {{tree_->node_of(on), 1}});
            return;
        }
    }
    schedule_next_resize(id);
    ask_for_cycle(now_);
}

/// A job that leaves earlier than planned gives back what others are promised only later.
void PlainRun::leaves_early(const PlainJobState& job) {
    const SimTime run = expected_run(job);
    const bool forever = run == sim::never;
    const SimTime planned = forever ? run : std::max(*job.start + run, planned_at_ + SimTime(1));
    given_back_ = given_back_ || planned > now_;
}

void PlainRun::finish(std::size_t id) {
    PlainJobState& job = jobs[id];
    leaves_early(job);
    job.ended = true;
    for (PlainStint& stint : job.stints) {
        if (!stint.finish) {
            cluster_.release(job.job, stint.server, stint.grant);
            stint.finish = now_;
            something_left(stint.server);
        }
    }
    job.finish = now_;
    job.outcome = sim::Outcome::finished;
    drop_event(What::resize, id);
    something_is_free();
    quota_changed(job.job.quota);
    ask_for_cycle_if_any_waits();
}

void PlainRun::change_node(const sim::NodeChange& change) {
    const std::uint32_t server = change.server.index;
    if (cluster_.up[server] == change.up) {
        return;
    }
    std::vector<PlainLeft> interrupted;
    for (std::size_t id = 0; id < jobs.size() && !change.up; ++id) {
        const bool there = std::ranges::any_of(jobs[id].stints, [&](const PlainStint& stint) {
            return !stint.finish && stint.server == server;
        });
        if (jobs[id].runs() && there) {
            interrupted.push_back(left_without(server, id));
            evict(id, sim::EvictionCause::node_failed);
        }
    }
    cluster_.up[server] = change.up;
    for (std::size_t id = 0; id < jobs.size(); ++id) {
        jobs[id].unsettled = jobs[id].unsettled || promise_of(id) != nullptr;
    }
    promises_.clear();
    given_back_ = true;
    any_quota_changed_ = servers_changed_ = true;
    if (change.up) {
        something_is_free();
    }
    ask_for_cycle_if_any_waits();
    go_on(std::move(interrupted));
}

/// The job returns to the queue with its remaining work, plus the work that it lost.
void PlainRun::evict(std::size_t id, sim::EvictionCause cause) {
    PlainJobState& job = jobs[id];
    drop_event(What::finish, id);
    leaves_early(job);
    const auto lost_of = [&](SimTime done) { return done * case_.lost_quarters / 4; };
    const SimTime ran = now_ - *job.start;
    const SimTime done = work_in(ran, job.factor);
    for (const PlainStint& stint : job.stints) {
        const SimTime stayed = stint.finish.value_or(now_) - stint.start;
        if (stint.finish && stint.start < *job.start) {
            continue;  // it left in a resize before an earlier eviction
        }
        const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(stayed);
        job.service += job.job.demand[service_resource()] * milliseconds.count();
        if (!stint.finish) {
            PlainPast& past =
                job.pasts.try_emplace(stint.number, PlainPast{job.job.submit}).first->second;
            const SimTime work = work_in(stayed, job.factor);
            past.ran += stayed;
            past.kept += work - lost_of(work);
            past.lost += lost_of(work);
            ++past.evictions[static_cast<std::size_t>(cause)];
            cluster_.release(job.job, stint.server, stint.grant);
            job.evicted_stints.push_back(stint);
            job.evicted_stints.back().finish = now_;
        }
    }
    std::erase_if(job.stints, [](const PlainStint& stint) { return !stint.finish; });
    evictions.push_back({job.job.name, now_, cause, ran, lost_of(done)});
    if (job.left) {
        *job.left -= done - lost_of(done);
    }
    job.lost += lost_of(done);
    job.ran_before += ran;
    ++job.evictions[static_cast<std::size_t>(cause)];
    job.start.reset();
    job.placed = 0;
    const bool failed = cause == sim::EvictionCause::node_failed;
    job.entry = failed && case_.settings.on_failure.keeps_place ? job.entry : entries_++;
    job.unsettled = true;
    quota_changed(job.job.quota);
    something_is_free();
    for (std::size_t i = 0; i < job.evicted_stints.size(); ++i) {
        if (job.evicted_stints[i].finish == now_) {
            something_left(job.evicted_stints[i].server);
        }
    }
    ask_for_cycle(now_);
}

}  // namespace berth::tests
