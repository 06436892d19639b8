#include <algorithm>
#include <cmath>

#include "schedulers/kai/decide/cycle.hpp"
#include "schedulers/kai/requests/kai.hpp"
#include "schedulers/kai/requests/kai_queues.hpp"
#include "schedulers/kai/requests/read_kai_jobs.hpp"
#include "schedulers/kai/requests/read_kai_session.hpp"

namespace berth::experiments {
namespace {

namespace kai = core::kai;

/// The amounts of each queue as KAI prints them: GPUs from 1 on as whole numbers, and never below
/// 0.
Json kai_printed(const kai::Queues& queues, double kai::Share::* which) {
    NamedValues printed(queues.size());
    for (kai::QueueIndex queue = 0; queue < queues.size(); ++queue) {
        kai::Amounts amounts = queues[queue].amounts(which);
        double& gpus = amounts[kai::gpu];
        if (!(gpus > 0 && gpus < 1)) {
            gpus = std::max(0.0, std::trunc(gpus));
        }
        printed.add(queues[queue].name, json_of(amounts));
    }
    return printed.take();
}

Json kai_pods(const kai::Session& session) {
    NamedValues pods(session.pods.size());
    for (const kai::Pod& pod : session.pods) {
        const std::string_view status = kai_statuses[static_cast<std::size_t>(pod.status)];
        pods.add(pod.id,
                 Json::array(
                     {status, pod.node == kai::no_node ? "" : session.node_specs[pod.node].name}));
    }
    return pods.take();
}

Json kai_node_amounts(const kai::Session& session, kai::Vector kai::Node::* which) {
    NamedValues amounts(session.nodes.size());
    for (kai::NodeIndex node = 0; node < session.nodes.size(); ++node) {
        const kai::Vector& own = session.nodes[node].*which;
        amounts.add(session.node_specs[node].name, Json::array({own[0], own[1], own[2], own[3]}));
    }
    return amounts.take();
}

/// The events, with those evictions by id that follow each other: KAI's own order is random.
Json kai_events(const kai::Session& session) {
    using Kind = kai::Event::Kind;
    std::vector<kai::Event> events = session.events;
    const auto is_eviction = [](const kai::Event& event) { return event.kind == Kind::evict; };
    for (auto first = events.begin(); first != events.end();) {
        const auto last = std::find_if_not(first, events.end(), is_eviction);
        std::stable_sort(first, last, [&](const kai::Event& a, const kai::Event& b) {
            return session.pods[a.pod].id < session.pods[b.pod].id;
        });
        first = std::find_if(last, events.end(), is_eviction);
    }
    Json told = Json::array();
    for (const kai::Event& event : events) {
        const std::string& pod = session.pods[event.pod].id;
        if (event.kind == Kind::evict) {
            told.push_back(Json::array({"evict", pod}));
        } else {
            told.push_back(Json::array({event.kind == Kind::bind ? "bind" : "pipeline",
                                        pod,
                                        session.node_specs[event.node].name}));
        }
    }
    return told;
}

}  // namespace

Json answer_kai_cycle(const RequestValue& json) {
    const RequestField request(json);
    std::vector<kai::Action> actions;
    for (const RequestField& action : request["actions"].items()) {
        actions.push_back(static_cast<kai::Action>(action.choice(
            {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"})));
    }
    kai::Session session(read_kai_session(request));
    Json fair = kai_printed(session.queues, &kai::Share::fair);
    for (const kai::Action action : actions) {
        kai::run_action(session, action);
    }
    Json answer = Json::object();
    answer["pods"] = kai_pods(session);
    answer["fair"] = std::move(fair);
    answer["allocated"] = kai_printed(session.queues, &kai::Share::allocated);
    answer["idle"] = kai_node_amounts(session, &kai::Node::idle);
    answer["releasing"] = kai_node_amounts(session, &kai::Node::releasing);
    answer["events"] = kai_events(session);
    return answer;
}

}  // namespace berth::experiments
