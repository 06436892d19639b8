#include "schedulers/kai/decide/cycle.hpp"

#include "schedulers/kai/decide/evicting_actions.hpp"
#include "schedulers/kai/decide/jobs_order.hpp"
#include "schedulers/kai/decide/place_job.hpp"

namespace berth::core::kai {
namespace {

/// Places jobs until none is left; one with more pods than it needs gets them one by one.
void allocate(Session& session) {
    JobsOrder order(session, JobsOrder::Purpose::service);
    for (Job& job : session.jobs) {
        order.offer(job, {.must_be_pending = true, .must_be_ready = true});
    }
    while (!order.empty()) {
        Job& job = order.pop();
        const bool was_running = job.has(charged_ones, session.pods);
        (void)job.request(true, session.pods);
        Statement statement(session);
        if (!place_job(session, statement, session.all_nodes(), job, false)) {
            statement.discard();
            continue;
        }
        const bool must_wait = job.must_wait(session.pods);
        if (must_wait) {
            statement.convert_to_pipelined(job.index());
        }
        statement.commit();
        if (!must_wait && !was_running) {
            job.last_start = session.settings.now;
        }
        if (session.is_pending(job.index())) {
            order.push(job);
        }
    }
}

/// Evicts gangs that have lacked pods for too long.
void evict_stale_gangs(Session& session) {
    for (Job& job : session.jobs) {
        if (!job.is_stale(session.pods)) {
            job.stale_since.reset();
            continue;
        }
        job.stale_since = job.stale_since.value_or(session.settings.now);
        const double grace = session.settings.grace;
        if (grace < 0 || session.settings.now - *job.stale_since < grace) {
            continue;
        }
        for (const PodIndex pod : job.pods()) {
            if (session.pods[pod].is(active)) {
                const NodeIndex node = session.pods[pod].node;
                session.set_status(pod, Status::Releasing);
                session.update_node(node, pod);
                session.charge(pod, -1);
                session.events.push_back({Event::Kind::evict, pod, node});
            }
        }
    }
}

}  // namespace

void run_action(Session& session, Action action) {
    switch (action) {
        case Action::allocate:
            return allocate(session);
        case Action::consolidation:
            return consolidate(session);
        case Action::reclaim:
            return reclaim(session);
        case Action::preempt:
            return preempt(session);
        case Action::stalegangeviction:
            return evict_stale_gangs(session);
    }
}

}  // namespace berth::core::kai
