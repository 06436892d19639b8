/// kueue-tas/...: placement of 8 pods as in Kueue, on a cluster where pods come and go. Each unit
/// of work places one workload, and removes the one that came 256 workloads before.
/// kueue-cycle/...: a backlog through Kueue's scheduling cycles, in a cohort of queues of which
/// each runs 8 workloads at a time. A unit of work is the whole backlog: each workload is offered,
/// admitted and finished. There are 30 queues for up to 15 000 workloads, and 1 000 beyond.
/// kueue-cycle/saturated: such a backlog with three priorities and four sizes, in which each queue
/// preempts its own workloads of lower priority and reclaims what others borrow, and one workload
/// ends in each step.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/bench/scheduler_bench.hpp"
#include "schedulers/kueue/decide/queue_manager.hpp"
#include "schedulers/kueue/decide/topology_aware/topology_assigner.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

kueue::TopologySnapshot snapshot_of(const core::Ledger& ledger) {
    kueue::TopologySnapshot::Spec spec;
    spec.name = "default";
    spec.levels = {"block", "rack", std::string(kueue::TopologySnapshot::hostname)};
    const core::Topology& tree = ledger.topology();
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        spec.nodes.push_back({std::string(tree.name(tree.node_of(core::ServerId{i}))), {}, {}});
    }
    return {std::move(spec), &ledger};
}

/// Places workloads one by one, and removes the oldest.
class Placements {
public:
    Placements(std::uint32_t servers, kueue::TopologyRequest request)
        : ledger_(
              uniform_tree({{"block", servers / 512}, {"rack", 32}, {"server", 16}}, {{"gpu", 8}})),
          snapshot_(snapshot_of(ledger_)),
          shapes_(snapshot_),
          request_(std::move(request)) {}

    void place() {
        kueue::TopologyPodSet set;
        set.name = "main";
        set.count = 8;
        set.requests = {1 + (step_++ % 3 == 0 ? 3 : 0)};
        set.request = request_;
        const kueue::TopologyWorkload workload;
        kueue::TopologyAssigner assigner(shapes_, workload, false);
        const auto placed = assigner.assign({&set, 1});
        BERTH_ASSERT(placed.front().assignment, "there is room for each workload");
        take(*placed.front().assignment, set.requests);
        if (running_.size() > 256) {
            for (const auto& [server, pods] : running_.front().servers) {
                ledger_.release(server, running_.front().requests, pods);
            }
            running_.pop_front();
        }
    }

private:
    struct Running {
        std::vector<std::pair<core::ServerId, std::int64_t>> servers;
        std::vector<core::Amount> requests;
    };

    void take(const kueue::TopologyAssignment& assignment,
              const std::vector<core::Amount>& requests) {
        Running running{{}, requests};
        for (const kueue::TopologyAssignment::Domain& domain : assignment.domains) {
            const auto leaf = snapshot_.find_leaf(domain.values);
            BERTH_ASSERT(leaf, "an assignment names leaves of the topology");
            const core::ServerId server = ledger_.topology().server_of(*leaf);
            ledger_.claim(server, requests, domain.count);
            running.servers.emplace_back(server, domain.count);
        }
        running_.push_back(std::move(running));
    }

    core::Ledger ledger_;
    kueue::TopologySnapshot snapshot_;
    kueue::CountedShapes shapes_;
    kueue::TopologyRequest request_;
    std::deque<Running> running_;
    std::uint64_t step_ = 0;
};

void bench_placement(const Bench& bench,
                     const std::string& name,
                     const kueue::TopologyRequest& request) {
    for (const std::uint32_t servers : bench.sizes({8'192, 131'072})) {
        Placements placements(servers, request);
        for (int i = 0; i < 300; ++i) {
            placements.place();
        }
        Measurement out{name, servers, "place one workload, take another away", 0, 0, 0, {}};
        bench.measure(out, 0.5, [&] { placements.place(); });
        bench.report(out);
    }
}

constexpr kueue::FlavorResource gpu_flavor{kueue::FlavorId{0}, kueue::ResourceId{0}};

kueue::CacheSpec queues_of(std::uint32_t count, bool fair) {
    kueue::CacheSpec spec;
    spec.flavors[spec.names.flavor("default")] = {};
    (void)spec.names.resource("gpu");
    if (fair) {
        spec.configuration.fair_strategies = {kueue::FairStrategy::less_or_equal_to_final_share,
                                              kueue::FairStrategy::less_than_initial_share};
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        kueue::ClusterQueue queue;
        queue.name = fmt::format("queue-{:04}", i);
        queue.cohort = "all";
        queue.quotas[gpu_flavor] = {8, std::nullopt, std::nullopt};
        queue.groups = {{{gpu_flavor.resource}, {gpu_flavor.flavor}}};
        queue.preemption.within_cluster_queue =
            kueue::PreemptionPolicy::lower_or_newer_equal_priority;
        queue.preemption.reclaim_within_cohort = kueue::PreemptionPolicy::any;
        spec.queues.push_back(std::move(queue));
    }
    return spec;
}

kueue::Workload waiting(std::uint32_t number, kueue::QuotaNode queue, const std::string& name) {
    kueue::Workload workload;
    workload.name = fmt::format("workload-{:06}", number);
    workload.uid = workload.name;
    workload.queue_name = name;
    workload.queue = queue;
    workload.created = {number, 0};
    workload.pod_sets.emplace_back().name = "main";
    workload.totals = {{1, {{gpu_flavor.resource, 1}}, {}}};
    return workload;
}

/// Takes all workloads through the cycles. Each is finished once its queue runs 8.
void run_backlog(std::uint32_t workloads, bool fair) {
    const std::uint32_t queues = workloads <= 15'000 ? 30 : 1'000;
    kueue::Cache cache(queues_of(queues, fair));
    kueue::QueueManager manager(cache);
    for (std::uint32_t i = 0; i < workloads; ++i) {
        const kueue::QuotaNode queue{i % queues};
        manager.add({i}, waiting(i, queue, cache.queue(queue).name));
    }
    std::vector<std::deque<kueue::WorkloadId>> running(queues);
    std::int64_t now = workloads;
    std::uint32_t left = workloads;
    while (left > 0) {
        ++now;
        kueue::Cycle cycle(cache, {now, 0}, now);
        const std::vector<kueue::PendingId> ids = manager.pop_heads();
        std::vector<const kueue::Workload*> heads;
        for (const kueue::PendingId id : ids) {
            heads.push_back(&manager.workload(id));
        }
        for (const kueue::Entry& entry : cycle.run(heads)) {
            const auto at = std::ranges::find(heads, entry.workload) - heads.begin();
            const kueue::PendingId id = ids[static_cast<std::size_t>(at)];
            if (!entry.is_admitted()) {
                manager.requeue(id, entry);
                continue;
            }
            kueue::Workload held = manager.remove(id);
            held.totals.front().flavors[gpu_flavor.resource] = gpu_flavor.flavor;
            held.reserved = kueue::Time{now, 0};
            held.holds_quota = true;
            running[held.queue->index].push_back(cache.add_workload(std::move(held)));
            --left;
        }
        for (auto& own : running) {
            if (own.size() >= 8) {
                (void)cache.remove_workload(own.front());
                own.pop_front();
            }
        }
        manager.retry(cache.tree().root(kueue::QuotaNode{0}));
    }
}

/// A backlog in which nearly every head would have to preempt.
class SaturatedBacklog {
public:
    explicit SaturatedBacklog(std::uint32_t workloads)
        : cache_(queues_of(30, false)), manager_(cache_), left_(workloads) {
        for (std::uint32_t i = 0; i < workloads; ++i) {
            const kueue::QuotaNode queue{i % 30};
            kueue::Workload workload = waiting(i, queue, cache_.queue(queue).name);
            workload.priority = i % 3;
            workload.totals.front().requests[gpu_flavor.resource] = core::Amount{1} << (i / 3 % 4);
            manager_.add({i}, std::move(workload));
        }
    }

    void run() {
        while (left_ > 0) {
            while (manager_.has_heads() && run_cycle()) {
            }
            finish_one();
            manager_.retry(cache_.tree().root(kueue::QuotaNode{0}));
        }
    }

private:
    /// Returns whether a workload was admitted, preempted or parked.
    bool run_cycle() {
        if (!manager_.park_refused_again(cache_).empty()) {
            ++now_;
            return true;
        }
        const std::vector<kueue::PendingId> ids = manager_.pop_heads();
        std::vector<const kueue::Workload*> heads;
        for (const kueue::PendingId id : ids) {
            heads.push_back(&manager_.workload(id));
        }
        ++now_;
        kueue::Cycle cycle(cache_, {now_, 0}, now_, &memory_);
        bool changes = false;
        std::vector<kueue::WorkloadId> victims;
        for (const kueue::Entry& entry : cycle.run(heads)) {
            const auto at = std::ranges::find(heads, entry.workload) - heads.begin();
            const kueue::PendingId id = ids[static_cast<std::size_t>(at)];
            if (entry.is_admitted()) {
                admit(id);
                changes = true;
                continue;
            }
            manager_.requeue(id, entry);
            changes = changes || manager_.is_parked(id);
            if (entry.preempts()) {
                for (const kueue::Target& target : entry.nomination->targets) {
                    victims.push_back(target.workload);
                }
            }
        }
        for (const kueue::WorkloadId victim : victims) {
            send_back(victim);
        }
        return changes || !victims.empty();
    }

    void admit(kueue::PendingId id) {
        kueue::Workload held = manager_.remove(id);
        held.totals.front().flavors[gpu_flavor.resource] = gpu_flavor.flavor;
        held.reserved = kueue::Time{now_, 0};
        held.holds_quota = true;
        running_.emplace(now_, id, cache_.add_workload(std::move(held)));
    }

    void send_back(kueue::WorkloadId victim) {
        const auto found =
            std::ranges::find(running_, victim, [](const auto& one) { return std::get<2>(one); });
        if (found == running_.end()) {
            return;  // another workload preempts it too
        }
        kueue::Workload workload = cache_.remove_workload(victim);
        workload.totals.front().flavors.clear();
        workload.reserved.reset();
        workload.holds_quota = false;
        manager_.add(std::get<1>(*found), std::move(workload));
        running_.erase(found);
    }

    void finish_one() {
        BERTH_ASSERT(!running_.empty(), "somebody runs as long as anybody waits");
        (void)cache_.remove_workload(std::get<2>(*running_.begin()));
        running_.erase(running_.begin());
        --left_;
    }

    using Running = std::tuple<std::int64_t, kueue::PendingId, kueue::WorkloadId>;

    kueue::Cache cache_;
    kueue::QueueManager manager_;
    kueue::NominationMemory memory_;
    std::set<Running> running_;  ///< Ordered by the time of admission.
    std::int64_t now_ = 0;
    std::uint32_t left_;
};

void bench_saturated(const Bench& bench) {
    for (const std::uint32_t workloads : bench.sizes({600, 3'000})) {
        Measurement out{"kueue-cycle/saturated", workloads, "admit all", 0, 0, 0, {}};
        bench.measure(out, 0.5, [&] { SaturatedBacklog(workloads).run(); });
        bench.report(out);
    }
}

void bench_backlog(const Bench& bench, bool fair) {
    for (const std::uint32_t workloads : bench.sizes({15'000, 50'000})) {
        Measurement out{fair ? "kueue-cycle/fair" : "kueue-cycle/classical",
                        workloads,
                        "admit all",
                        0,
                        0,
                        0,
                        {}};
        bench.measure(out, 0.5, [&] { run_backlog(workloads, fair); });
        bench.report(out);
    }
}

std::vector<Benchmark> kueue_benchmarks() {
    const std::string host(kueue::TopologySnapshot::hostname);
    const std::vector<std::pair<std::string, kueue::TopologyRequest>> requests{
        {"kueue-tas/required", {"rack", std::nullopt, false, {}}},
        {"kueue-tas/preferred", {std::nullopt, "rack", false, {}}},
        {"kueue-tas/unconstrained", {std::nullopt, std::nullopt, true, {}}},
        {"kueue-tas/slices", {"block", std::nullopt, false, {{host, 2}}}}};
    std::vector<Benchmark> all;
    for (const auto& [name, request] : requests) {
        all.push_back({name,
                       "topology-aware placement of one workload",
                       [called = name, asks = request](const Bench& bench) {
                           bench_placement(bench, called, asks);
                       }});
    }
    all.push_back({"kueue-cycle/classical", "a backlog through cycles", [](const Bench& bench) {
                       bench_backlog(bench, false);
                   }});
    all.push_back({"kueue-cycle/fair", "the same with fair sharing", [](const Bench& bench) {
                       bench_backlog(bench, true);
                   }});
    all.push_back({"kueue-cycle/saturated", "a backlog that preempts", bench_saturated});
    return all;
}

constexpr std::string_view kueue_row =
    R"({{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {{"name": )"
    R"("job-{0}", "namespace": "team-{1}", "creationTimestamp": "2026-01-{2:02}T00:00:00Z"}}, )"
    R"("spec": {{"queueName": "main", "priority": 0, "podSets": [{{"name": "main", "count": {3}, )"
    R"("template": {{"spec": {{"containers": [{{"name": "main", "image": "registry/image:1", )"
    R"("resources": {{"requests": {{"cpu": "500m", "memory": "16Gi"}}}}}}]}}}}}}]}}, "status": )"
    R"({{"conditions": [{{"type": "Admitted", "status": "True", "lastTransitionTime": )"
    R"("2026-01-{2:02}T00:01:00Z"}}, {{"type": "Finished", "status": "True", "reason": )"
    R"("Succeeded", "lastTransitionTime": "2026-01-{2:02}T01:00:00Z"}}]}}}})"
    "\n";

std::map<std::string, InventedTrace> kueue_traces() {
    return {{"kueue",
             {"{\"kind\": \"List\", \"items\": [\n",
              kueue_row,
              {{}, {97}, {28, 1}, {8, 1}},
              ",",
              "]}"}}};
}

constexpr std::array sizes{BenchSize{"kueue-cycle", "workloads"},
                           BenchSize{"kueue-tas", "servers"}};

}  // namespace

extern constinit const SchedulerBench kueue_bench;
constinit const SchedulerBench kueue_bench{
    .benchmarks = &kueue_benchmarks, .sizes = sizes, .traces = &kueue_traces};

}  // namespace berth::experiments
