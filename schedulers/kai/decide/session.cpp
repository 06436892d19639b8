#include "schedulers/kai/decide/session.hpp"

#include <numeric>

#include "schedulers/kai/decide/fair_share.hpp"

namespace berth::core::kai {

Session::Session(SessionSpec spec)
    : settings(spec.settings),
      queues(std::move(spec.queues)),
      node_specs(std::move(spec.nodes)),
      pods(std::move(spec.pods)),
      all_nodes_(node_specs.size()) {
    std::iota(all_nodes_.begin(), all_nodes_.end(), NodeIndex{0});
    // What queues request and have follows from the pods, and their fair shares from that.
    for (QueueIndex queue = 0; queue < queues.size(); ++queue) {
        for (Share& share : queues[queue].shares) {
            share.request = share.fair = share.allocated = share.allocated_fixed = 0;
        }
    }
    for (const NodeSpec& node : node_specs) {
        nodes.emplace_back(node.allocatable);
        total = plus(total, charged(node.allocatable));
    }
    for (const TopologySpec& topology : spec.topologies) {
        topologies.emplace_back(topology, node_specs);
    }
    specs.reserve(spec.jobs.size());  // Jobs point to them.
    for (SessionSpec::StartedJob& job : spec.jobs) {
        specs.push_back(std::move(job.spec));
        Job& own = jobs.emplace_back(static_cast<JobIndex>(jobs.size()), specs.back());
        own.last_start = job.last_start;
        own.stale_since = job.stale_since;
    }
    pending_.resize(jobs.size());
    waiting.start(queues.size(), jobs.size());
    for (PodIndex pod = 0; pod < pods.size(); ++pod) {
        const Pod& own = pods[pod];
        const JobSpec& job = specs[own.job];
        jobs[own.job].add(own.leaf, pod);
        if (own.is(used) && own.node != no_node) {
            nodes[own.node].add(own.node, pods[pod]);
        }
        if (own.is(charged_ones)) {
            charge(pod, 1);
        }
        pending_[own.job] += own.status == Status::Pending ? 1 : 0;
        if (own.is(charged_ones | just(Status::Pending))) {
            for (QueueIndex at = job.queue; at != no_queue; at = queues[at].parent) {
                for (std::size_t resource = 0; resource < resource_count; ++resource) {
                    queues[at].shares[resource].request += own.request[resource];
                }
            }
        }
    }
    set_fair_shares(queues, total, settings.k);
}

void Session::set_status(PodIndex pod, Status status) {
    Pod& own = pods[pod];
    std::int64_t& pending = pending_[own.job];
    pending += status == Status::Pending ? 1 : 0;
    pending -= own.status == Status::Pending ? 1 : 0;
    own.status = status;
    jobs[own.job].forget();
    waiting.touch(own.job);
}

void Session::charge(PodIndex pod, double sign) {
    const JobSpec& job = specs[pods[pod].job];
    queues.charge(job.queue, charged(pods[pod].request), !job.is_preemptible, sign);
}

Vector Session::sum_of(const std::vector<PodIndex>& some) const {
    Vector sum{};
    for (const PodIndex pod : some) {
        add_to(sum, pods[pod].request);
    }
    return sum;
}

bool Session::is_over_limit(const JobSpec& job, const Amounts& more) const {
    for (QueueIndex at = job.queue; at != no_queue; at = queues[at].parent) {
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            const Share& share = queues[at].shares[resource];
            if (share.limit != unlimited && more[resource] != 0 &&
                share.limit < share.allocated + more[resource]) {
                return true;
            }
        }
    }
    return false;
}

bool Session::is_over_quota(const JobSpec& job, const Amounts& more) const {
    if (job.is_preemptible) {
        return false;
    }
    for (QueueIndex at = job.queue; at != no_queue; at = queues[at].parent) {
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            const Share& share = queues[at].shares[resource];
            if (share.quota != unlimited && more[resource] != 0 &&
                share.quota < share.allocated_fixed + more[resource]) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace berth::core::kai
