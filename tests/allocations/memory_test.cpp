// How much memory a run holds for each pod that is alive, each server, each GPU and each quota,
// measured as the difference between many and few of them. docs/explanation/performance.md states
// the numbers.

#include <malloc.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/gpu_shares/gpu_request.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;

namespace {

/// Bytes in use by the allocator. As in berth, only very large blocks become memory mappings of
/// their own: for a large aligned block, such a mapping reserves twice as many addresses, without
/// memory behind them.
double bytes_in_use() {
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    const struct mallinfo2 all = ::mallinfo2();
    return static_cast<double>(all.uordblks + all.hblkhd);
}

/// Supplies this many pods, one after the other, and measures the memory in use when all have
/// arrived.
class Staying final : public sim::PodSource, public sim::RecordSink {
public:
    /// All pods but the first end after `duration`; without it, they never end.
    Staying(sim::Job like, std::uint64_t count, std::optional<sim::SimTime> duration = {})
        : like_(std::move(like)), count_(count), duration_(duration) {}

    std::optional<sim::Job> next() override {
        if (made_ > count_) {
            in_use_ = bytes_in_use();
            return std::nullopt;
        }
        like_.name = std::to_string(made_);
        like_.duration = made_ == 0 ? std::nullopt : duration_;
        like_.submit = sim::SimTime(static_cast<std::int64_t>(made_++));
        return like_;
    }
    void job(const sim::JobRecord& /*record*/) override {}
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    [[nodiscard]] double in_use() const { return in_use_; }

private:
    sim::Job like_;
    std::uint64_t count_;
    std::optional<sim::SimTime> duration_;
    std::uint64_t made_ = 0;
    double in_use_ = 0;
};

struct Cluster {
    std::uint32_t servers = 1'000;
    std::int64_t gpus = 0;  ///< Number of GPUs of each server.
};

/// A topology of racks with 16 equal servers each.
std::shared_ptr<const core::Topology> topology_of(const Cluster& cluster) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("nvidia.com/gpu");
    core::TopologyBuilder builder(schema);
    core::MachineType type;
    type.name = "host";
    type.capacity = core::Amounts(2);
    type.capacity << 64'000, cluster.gpus * 1000;
    if (cluster.gpus > 0) {
        core::DeviceGroup group;
        group.kind = "gpu";
        group.count = cluster.gpus;
        type.devices.push_back(group);
    }
    const std::uint32_t host = builder.add_machine_type(std::move(type));
    constexpr std::uint32_t per_rack = 16;
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    for (std::uint32_t rack = 0; rack * per_rack < cluster.servers; ++rack) {
        builder.add_node(0, "rack-" + std::to_string(rack));
    }
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < cluster.servers; ++server) {
        builder.add_server(server / per_rack, "server-" + std::to_string(server), host);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

/// The memory that a run of `pods` pods holds when the last has arrived.
double held(const Cluster& cluster, std::uint64_t pods, std::uint32_t quotas = 0) {
    const double before = bytes_in_use();
    core::Ledger ledger(topology_of(cluster));
    sim::Settings settings;
    settings.profile.score = tests::by_scorer("best-fit");
    settings.until = sim::SimTime(1'000'000'000);
    sim::Job pod;
    pod.demand = {100, 0};
    if (cluster.gpus > 0) {
        const core::GpuRequest half{.milli = 500, .count = 1, .models = {}};
        pod.demand = {100, half.total_milli()};
        pod.gpus = std::make_shared<const core::GpuRequest>(half);
    }
    if (quotas > 0) {
        settings.quotas.emplace();
        for (std::uint32_t i = 0; i < quotas; ++i) {
            core::ElasticQuota quota;
            quota.name = "team-" + std::to_string(i);
            quota.min = {{"cpu", core::Quantity{1'000'000'000}}};
            quota.max = {{"cpu", core::Quantity{1'000'000'000'000}}};
            settings.quotas->quotas.push_back(quota);
        }
        pod.quota = "team-0";
    }
    Staying source(pod, pods);
    sim::RunControl control;
    (void)sim::Simulation(ledger, source, settings, source, control).run();
    return source.in_use() - before;
}

/// One ClusterQueue with quota for ten of this test's pods.
std::shared_ptr<const sim::KueueSettings> one_queue() {
    sim::KueueSettings settings;
    core::kueue::CacheSpec& spec = settings.cache;
    const core::kueue::FlavorResource cpu{spec.names.flavor("default"), spec.names.resource("cpu")};
    spec.flavors[cpu.flavor] = {};
    core::kueue::ClusterQueue queue;
    queue.name = "queue";
    queue.quotas[cpu] = {1'000, std::nullopt, std::nullopt};
    queue.groups = {{{cpu.resource}, {cpu.flavor}}};
    spec.queues = {queue};
    return std::make_shared<const sim::KueueSettings>(std::move(settings));
}

/// The memory that a run holds when `pods` pods have arrived, all but the first and a few of which
/// have ended.
double held_of_ended(std::uint64_t pods, const std::shared_ptr<const sim::KueueSettings>& kueue) {
    const double before = bytes_in_use();
    core::Ledger ledger(topology_of({}));
    sim::Settings settings;
    settings.profile.score = tests::by_scorer("best-fit");
    settings.admission = kueue;
    sim::Job pod;
    pod.demand = {100, 0};
    pod.quota = kueue == nullptr ? "" : "queue";
    Staying source(pod, pods, sim::SimTime(8));
    sim::RunControl control;
    (void)sim::Simulation(ledger, source, settings, source, control).run();
    return source.in_use() - before;
}

}  // namespace

TEST_CASE("memory: of a pod that is alive", "[sim]") {
    const Cluster cluster{};
    const double a_pod = (held(cluster, 60'000) - held(cluster, 20'000)) / 40'000;
    CAPTURE(a_pod);
    CHECK(a_pod > 500);
    CHECK(a_pod <= 900);
}

TEST_CASE("memory: Kueue forgets jobs that ended", "[sim]") {
    const auto of_one_ended = [](const std::shared_ptr<const sim::KueueSettings>& kueue) {
        return (held_of_ended(60'000, kueue) - held_of_ended(20'000, kueue)) / 40'000;
    };
    const double without = of_one_ended(nullptr);  // what the percentiles need
    const double with = of_one_ended(one_queue());
    CAPTURE(without, with);
    CHECK(without < 100);
    CHECK(with < without + 50);
}

TEST_CASE("memory: of a server", "[sim]") {
    const double a_server = (held({.servers = 60'000}, 1) - held({.servers = 20'000}, 1)) / 40'000;
    CAPTURE(a_server);
    CHECK(a_server > 50);
    CHECK(a_server <= 115);
}

TEST_CASE("memory: of a GPU that pods share", "[sim]") {
    constexpr std::uint32_t servers = 20'000;
    const double a_gpu = (held({servers, 8}, 1) - held({servers, 0}, 1)) / (8.0 * servers);
    CAPTURE(a_gpu);
    CHECK(a_gpu > 1);
    CHECK(a_gpu <= 6);
}

TEST_CASE("memory: of a quota", "[sim]") {
    const double a_quota = (held({}, 1, 3'000) - held({}, 1, 1'000)) / 2'000;
    CAPTURE(a_quota);
    CHECK(a_quota > 500);
    CHECK(a_quota <= 4'800);
}
