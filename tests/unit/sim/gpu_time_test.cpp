#include <catch2/catch.hpp>
#include <map>
#include <span>
#include <string>

#include "sim/run/simulation.hpp"
#include "tests/support/decider.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

constexpr core::Amount gpus = 1000;
constexpr core::Amount cores = 1000;

/// Two racks of two servers, each with 4 GPUs, 8 cores and 1 NIC: 16 GPUs.
std::shared_ptr<const core::Topology> small_tree() {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("nvidia.com/gpu");
    schema.add("koordinator.sh/rdma");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(3);
    capacity << 8 * cores, 4 * gpus, 1;
    core::DeviceGroup devices;
    devices.kind = "gpu";
    devices.count = 4;
    devices.model = "G1";
    builder.add_machine_type({"host", capacity, {devices}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "rack-0");
    builder.add_node(0, "rack-1");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < 4; ++server) {
        builder.add_server(server / 2, "server-" + std::to_string(server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

sim::Job pod(sim::SimTime submit,
             sim::SimTime duration,
             core::Amount cpu,
             core::Amount gpu,
             core::Amount nic = 0) {
    sim::Job job;
    job.name = "pod";
    job.submit = submit;
    job.duration = duration;
    job.demand = {cpu * cores, gpu * gpus, nic};
    return job;
}

sim::Job group(core::Members size, core::Amount gpu) {
    sim::Job job = pod(0s, 10s, 0, gpu);
    job.group = true;
    job.size = job.min_available = size;
    job.constraints = core::LevelConstraints(3);
    return job;
}

class Nowhere final : public sim::RecordSink {
    void job(const sim::JobRecord& /*record*/) override {}
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
};

/// GPU-seconds by use; uses of 0 are left out.
using Times = std::map<std::string, double>;

Times times_of(const std::vector<sim::Job>& jobs, sim::Settings settings = {}) {
    settings.profile.score = tests::by_scorer("first-fit");
    core::Ledger ledger(small_tree());
    tests::ListSource source(jobs);
    sim::RunControl control;
    control.check_invariants = true;
    Nowhere nowhere;
    const sim::RunResult result = sim::Simulation(ledger, source, settings, nowhere, control).run();
    Times times;
    double share = 0;
    for (const sim::GpuTime& time : result.gpu_time) {
        share += time.share;
        if (time.gpu_seconds > 0) {
            times[std::string(to_string(time.use))] = time.gpu_seconds;
        }
    }
    CHECK(share == Approx(1));
    return times;
}

std::vector<sim::Job> five(const sim::Job& job) {
    return {job, job, job, job, job};
}

/// A pod that keeps a run going and asks for no GPUs.
sim::Job ten_seconds() {
    return pod(0s, 10s, 1, 0);
}

}  // namespace

TEST_CASE("GPU time: what nobody asks for is without demand", "[sim][gpu-time]") {
    // 2 of 16 GPUs for 10 s.
    CHECK(times_of({pod(0s, 10s, 1, 2)}) == Times{{"allocated", 20}, {"no_demand", 140}});
}

TEST_CASE("GPU time: a waiting pod explains as many GPUs as it asks for", "[sim][gpu-time]") {
    // Four pods take 1 GPU and all cores of each server until 10 s; the fifth runs until 20 s.
    // While it waits, it explains 1 of the 12 idle GPUs.
    CHECK(times_of(five(pod(0s, 10s, 8, 1))) ==
          Times{{"allocated", 50}, {"cpu_or_memory", 10}, {"no_demand", 110 + 150}});
    // The same for lack of NICs.
    CHECK(times_of(five(pod(0s, 10s, 1, 1, 1))) ==
          Times{{"allocated", 50}, {"nic_mismatch", 10}, {"no_demand", 110 + 150}});
    // One GPU is left on each of the servers, and the fifth pod asks for 3 on one server.
    CHECK(times_of(five(pod(0s, 10s, 1, 3))) ==
          Times{{"allocated", 150}, {"fragmented", 30}, {"no_demand", 10 + 130}});
}

TEST_CASE("GPU time: a gang waits for more places than there are", "[sim][gpu-time]") {
    // The members ask for 3 GPUs each, and there are 4 places for 5 members, which explain 15 of 16
    // GPUs.
    CHECK(times_of({ten_seconds(), group(5, 3)}) ==
          Times{{"gang_waiting", 150}, {"no_demand", 10}});
    // Members of 5 GPUs fit nowhere, gang or not.
    CHECK(times_of({ten_seconds(), group(2, 5)}) == Times{{"fragmented", 100}, {"no_demand", 60}});
}

TEST_CASE("GPU time: places enough, and not in one rack", "[sim][gpu-time]") {
    sim::Job job = group(3, 3);
    core::LevelConstraint in_one;
    in_one.hard = true;
    job.constraints->set(core::Level{1}, in_one);
    CHECK(times_of({ten_seconds(), job}) == Times{{"split", 90}, {"no_demand", 70}});
}

TEST_CASE("GPU time: a job that its quota refuses", "[sim][gpu-time]") {
    sim::Settings settings;
    settings.quotas.emplace();
    core::ElasticQuota quota;
    quota.name = "A";
    quota.max = {{"nvidia.com/gpu", core::Quantity{2} * 1000000000}};
    settings.quotas->quotas = {quota};
    sim::Job job = pod(0s, 10s, 1, 3);
    job.quota = "A";
    CHECK(times_of({ten_seconds(), job}, settings) == Times{{"quota", 30}, {"no_demand", 130}});
}

TEST_CASE("GPU time: a pod with a place waits for the next cycle", "[sim][gpu-time]") {
    sim::Settings settings;
    settings.period = 10s;
    // From 3 s to 10 s one GPU waits for the scheduler; from 10 s to 15 s it is allocated.
    CHECK(times_of({pod(3s, 5s, 1, 1)}, settings) ==
          Times{{"allocated", 5}, {"scheduler", 7}, {"no_demand", 48 + 105 + 75}});
}

TEST_CASE("GPU time: a server that is down", "[sim][gpu-time]") {
    sim::Settings settings;
    settings.node_changes = {{10s, core::ServerId{3}, false}, {30s, core::ServerId{3}, true}};
    // 4 GPUs are down for 20 of 40 s, and 1 is allocated all the time.
    CHECK(times_of({pod(0s, 40s, 1, 1)}, settings) ==
          Times{{"allocated", 40}, {"failed", 80}, {"no_demand", 520}});
    settings.absent = {core::ServerId{2}};  // a server that never comes is no part of the cluster
    CHECK(times_of({pod(0s, 40s, 1, 1)}, settings) ==
          Times{{"allocated", 40}, {"failed", 80}, {"no_demand", 520 - 160}});
    settings.node_changes.push_back({35s, core::ServerId{2}, true});
    CHECK(times_of({pod(0s, 40s, 1, 1)}, settings).at("failed") == 80 + 4 * 35);
}

TEST_CASE("GPU time: the first who waits explains first, in proportion to what he lacks where",
          "[sim][gpu-time]") {
    // Of the servers' GPUs 4, 1, 4 and 4 are idle. Server 0 lacks cores, and the others have too
    // few GPUs for a pod of 5. Of its 5 GPUs, 4/13 are idle for lack of cores, and the rest,
    // rounded up, is fragmented. The pod after it explains 5 of the 8 that are left, all for lack
    // of cores.
    const std::vector<sim::Job> jobs{
        pod(0s, 13s, 8, 0), pod(0s, 13s, 1, 3), pod(0s, 13s, 1, 5), pod(0s, 13s, 9, 5)};
    Times times = times_of(jobs);
    CHECK(times.at("allocated") == 39);
    CHECK(times.at("cpu_or_memory") == Approx(13 * (5.0 * 4 / 13 + 5)).margin(0.02));
    CHECK(times.at("fragmented") == Approx(13 * 5.0 * 9 / 13).margin(0.02));
    CHECK(times.at("no_demand") == 39);
}

TEST_CASE("GPU time: what a member lacks on a server", "[sim][gpu-time]") {
    core::Ledger ledger(small_tree());
    sim::Profile profile;
    profile.score = tests::by_scorer("first-fit");
    tests::Decider decider(profile, ledger);
    const core::ServerId server{1};
    sim::Job job = pod(0s, 1s, 9, 5, 2);
    const auto asks_for = [&](const std::string& model) {
        core::GpuRequest request{1000, 5, {model}};
        job.gpus = std::make_shared<const core::GpuRequest>(request);
    };
    asks_for("G2");
    CHECK(decider.cluster.lack(job, server) == sim::Lack::model);
    asks_for("G1");
    CHECK(decider.cluster.lack(job, server) == sim::Lack::cpu_or_memory);
    job.demand[0] = 8 * cores;
    CHECK(decider.cluster.lack(job, server) == sim::Lack::nic);
    job.demand[2] = 1;
    CHECK(decider.cluster.lack(job, server) == sim::Lack::gpu);
    job.demand[1] = 2 * gpus;
    CHECK(decider.cluster.lack(job, server) == sim::Lack::nothing);
    CHECK(decider.cluster.places(job, server) == 1);
    job.demand = {cores, gpus, 0};
    CHECK(decider.cluster.places(job, server) == 4);
}
