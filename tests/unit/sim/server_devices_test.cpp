#include <bit>

#include "sim/cluster/inside/devices/server_devices.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/index/fit_index.hpp"
#include "core/index/score_index.hpp"
#include "core/machine_views/device_object_view.hpp"
#include "tests/support/decider.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using core::Amount;
using core::ServerId;
using sim::DeviceGrant;
using sim::ServerDevices;

namespace {

/// Eight GPUs, four on each NUMA node and island and two on each switch, and a NIC on each switch.
core::MachineType hgx() {
    core::MachineType type{"hgx", core::Amounts(2), {}};
    type.capacity << 64'000, 8'000;
    type.devices = {{"gpu",
                     8,
                     "",
                     0,
                     {0, 0, 0, 0, 1, 1, 1, 1},
                     {0, 0, 1, 1, 2, 2, 3, 3},
                     {{0, 1, 2, 3}, {4, 5, 6, 7}},
                     0},
                    {"rdma", 4, "", 0, {0, 0, 1, 1}, {0, 1, 2, 3}, {}, 0}};
    return type;
}

std::shared_ptr<const core::Topology> servers(std::uint32_t count,
                                              const core::MachineType& type = hgx()) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add(core::device_resource::nvidia_gpu);
    core::TopologyBuilder builder(schema);
    builder.add_machine_type(type);
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    for (std::uint32_t i = 0; i < count; ++i) {
        builder.add_server(0, fmt::format("server-{}", i), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

core::PodDevices gpus(Amount count) {
    core::PodDevices devices;
    devices.text = fmt::format("{} GPUs", count);
    devices.pod.requests.emplace(core::device_resource::nvidia_gpu, count);
    return devices;
}

/// `count` GPUs of one group, that is of one island.
core::PodDevices together(Amount count) {
    core::PodDevices devices;
    devices.text = fmt::format("{} GPUs together", count);
    for (Amount gpu = 0; gpu < count; ++gpu) {
        devices.groups[fmt::format("resource/group/gpugrp0/A/gpu/{}/cards", gpu)] = 1;
    }
    return devices;
}

sim::Job job_of(core::PodDevices devices, Amount count) {
    sim::Job job;
    job.demand = {1'000, 1'000 * count};
    job.devices = std::make_shared<const core::PodDevices>(std::move(devices));
    return job;
}

sim::Profile profile_of(const std::string& allocator) {
    sim::Profile profile;
    profile.score = tests::by_scorer("best-fit");
    profile.inside.devices = sim::DevicePlugin{allocator, {}, 0};
    return profile;
}

}  // namespace

TEST_CASE("server devices: ten thousand like servers cost one answer", "[sim][devices]") {
    const auto tree = servers(10'000);
    core::Ledger ledger(tree);
    const std::string allocator = GENERATE("first-fit", "group-allocator", "device-allocator");
    CAPTURE(allocator);
    ServerDevices devices(ledger, {allocator, {}, 1});
    const std::vector<core::WeightedScorer> scorers;
    core::ScoreIndex index(ledger, {1'000, 2'000}, scorers, &devices.rule(gpus(2)));
    CHECK(index.feasible_count() == 10'000);
    CHECK(devices.decisions() == 1);
    // Three pods start on three servers, and then all three leave: one state more.
    std::vector<DeviceGrant> grants;
    for (std::uint32_t server = 0; server < 3; ++server) {
        ledger.claim(ServerId{server}, std::vector<Amount>{1'000, 2'000}, 1);
        grants.push_back(devices.take(gpus(2), ServerId{server}));
        index.catch_up();
    }
    CHECK(grants == std::vector<DeviceGrant>(3, grants.front()));
    CHECK(devices.decisions() == 2);
    CHECK(devices.free_gpus().all == 80'000 - 6);
    CHECK(devices.free_gpus().whole == 80'000 - 12);
    for (std::uint32_t server = 0; server < 3; ++server) {
        devices.give_back(ServerId{server}, grants[server]);
        ledger.release(ServerId{server}, std::vector<Amount>{1'000, 2'000}, 1);
    }
    index.catch_up();
    CHECK(devices.decisions() == 2);
    CHECK(devices.free_gpus().whole == 80'000);
    // How many pods fit, whatever the number of servers: one answer for each pod on top of the
    // others.
    const core::FitIndex fits(
        ledger, {1'000, 2'000}, core::NumFit::percolated, &devices.rule(gpus(2)));
    CHECK(fits.fit(tree->root()) == 40'000);
    CHECK(devices.decisions() == 4);
}

TEST_CASE("server devices: GPUs in use before the run are nobody's to give", "[sim][devices]") {
    const auto tree = servers(4);
    core::Ledger ledger(tree);
    ledger.occupy(ServerId{1}, std::vector<Amount>{0, 3'000});
    ledger.occupy(ServerId{2}, std::vector<Amount>{0, 2'500});   // a part of a GPU is in use
    ledger.occupy(ServerId{3}, std::vector<Amount>{0, 11'000});  // more than there are
    const std::string allocator = GENERATE("first-fit", "group-allocator", "device-allocator");
    CAPTURE(allocator);
    ServerDevices devices(ledger, {allocator, {}, 0});
    CHECK(devices.free_gpus().all == 8 + 5 + 5);
    CHECK(devices.free_gpus().whole == 8 + 4 + 4);
    const core::ServerRule& one = devices.rule(gpus(1));
    CHECK(one.most(ServerId{0}, 100) == 8);
    CHECK(one.most(ServerId{1}, 100) == 5);
    CHECK(one.most(ServerId{1}, 2) == 2);
    CHECK(one.most(ServerId{2}, 100) == 5);
    CHECK(one.most(ServerId{3}, 100) == 0);
    CHECK(one.score(ServerId{2}).has_value());
    CHECK_FALSE(one.score(ServerId{3}).has_value());
    const core::MachineAnswer first = *devices.take(gpus(4), ServerId{1});
    CHECK(std::popcount(first.gpus) == 4);
    if (allocator == "device-allocator") {
        CHECK(first.gpus == 0b1111'0000);  // the NUMA node that is wholly free
    }
}

TEST_CASE("server devices: more GPUs in use before the run than are healthy", "[sim][devices]") {
    core::MachineType type = hgx();
    core::MachineDevices object = core::device_object_view(type);
    for (core::DeviceDescription& device : object.devices) {
        device.healthy = device.type != core::DeviceType::gpu || device.minor != 5;
    }
    type.device_object = std::make_shared<const core::MachineDevices>(object);
    const auto tree = servers(2, type);
    core::Ledger ledger(tree);
    ledger.occupy(ServerId{0}, std::vector<Amount>{0, 8'000});
    ledger.occupy(ServerId{1}, std::vector<Amount>{0, 5'000});
    ServerDevices devices(ledger, {"device-allocator", {}, 0});
    CHECK(devices.rule(gpus(1)).most(ServerId{0}, 9) == 0);
    CHECK(devices.rule(gpus(1)).most(ServerId{1}, 9) == 2);
}

TEST_CASE("server devices: a server that is away serves nobody", "[sim][devices]") {
    const auto tree = servers(2);
    core::Ledger ledger(tree);
    ServerDevices devices(ledger, {"first-fit", {}, 0});
    core::PodDevices nic;
    nic.text = "a NIC";
    nic.pod.requests.emplace(core::device_resource::rdma, 100);
    const core::ServerRule& rule = devices.rule(nic);  // asks for no amounts at all
    const std::vector<core::WeightedScorer> scorers;
    core::ScoreIndex index(ledger, {0, 0}, scorers, &rule);
    CHECK(index.best() == ServerId{0});
    ledger.take_down(ServerId{0});
    devices.leave(ServerId{0});
    index.catch_up();
    CHECK(index.best() == ServerId{1});
    CHECK(rule.most(ServerId{0}, 9) == 0);
    CHECK(devices.free_gpus().all == 8);
    ledger.bring_up(ServerId{0});
    devices.join(ServerId{0});
    index.catch_up();
    CHECK(index.best() == ServerId{0});
    CHECK(rule.most(ServerId{0}, 9) == 4);
    CHECK(devices.free_gpus().all == 16);
}

TEST_CASE("server devices: whether others could go, without a change", "[sim][devices]") {
    const auto tree = servers(1);
    core::Ledger ledger(tree);
    ServerDevices devices(ledger, {"group-allocator", {}, 0});
    const ServerId server{0};
    std::vector<DeviceGrant> grants;
    for (int i = 0; i < 8; ++i) {
        grants.push_back(devices.take(gpus(1), server));
    }
    const sim::FreeGpus before = devices.free_gpus();
    CHECK(before.all == 0);
    CHECK_FALSE(devices.serves_without(gpus(1), server, {}));
    CHECK(devices.serves_without(gpus(1), server, std::vector{grants[3]}));
    CHECK(devices.serves_without(gpus(8), server, grants));
    // If two pods go, both must be on one island.
    DeviceGrant same = nullptr;
    DeviceGrant other = nullptr;
    for (const DeviceGrant grant : grants) {
        if (grant != grants[0]) {
            const bool one_island = (grant->gpus < 16) == (grants[0]->gpus < 16);
            (one_island ? same : other) = grant;
        }
    }
    CHECK(devices.serves_without(together(2), server, std::vector{grants[0], same}));
    CHECK_FALSE(devices.serves_without(together(2), server, std::vector{grants[0], other}));
    CHECK_FALSE(devices.rule(gpus(1)).score(server).has_value());
    CHECK(devices.free_gpus().all == before.all);
    devices.give_back(server, grants[3]);
    CHECK(devices.take(gpus(1), server)->gpus == grants[3]->gpus);
}

TEST_CASE("server devices: the score index follows the rule", "[sim][devices]") {
    // The rule's weight of 1 alone counts: a pod goes where its GPUs are best used, and only where
    // they are together.
    const auto tree = servers(3);
    core::Ledger ledger(tree);
    ServerDevices devices(ledger, {"group-allocator", {}, 1});
    const std::vector<Amount> demand{1'000, 4'000};
    const std::vector<core::WeightedScorer> scorers;
    core::ScoreIndex index(ledger, demand, scorers, &devices.rule(together(4)));
    CHECK(index.best() == ServerId{0});
    const auto start = [&](ServerId server, const core::PodDevices& pod, Amount count) {
        ledger.claim(server, std::vector<Amount>{1'000, 1'000 * count}, 1);
        return devices.take(pod, server);
    };
    const DeviceGrant whole = start(ServerId{1}, together(4), 4);
    index.catch_up();
    CHECK(index.best() == ServerId{1});  // the fuller of those that can serve
    const DeviceGrant single = start(ServerId{1}, gpus(1), 1);
    index.catch_up();
    CHECK(index.best() == ServerId{0});  // server 1 has three left, which the ledger sees
    CHECK(index.insufficient_count(1) == 1);
    CHECK(index.refused_count() == 0);
    devices.give_back(ServerId{1}, whole);
    ledger.release(ServerId{1}, demand, 1);
    const DeviceGrant another = start(ServerId{1}, together(4), 4);
    devices.give_back(ServerId{1}, single);
    ledger.release(ServerId{1}, std::vector<Amount>{1'000, 1'000}, 1);
    // One pod stays on each island of server 2: enough GPUs for the ledger, but refused by the
    // rule.
    std::vector<DeviceGrant> ones;
    for (int i = 0; i < 8; ++i) {
        ones.push_back(start(ServerId{2}, gpus(1), 1));
    }
    for (int i = 0; i < 8; ++i) {
        if (ones[static_cast<std::size_t>(i)]->gpus != 0b0000'0001 &&
            ones[static_cast<std::size_t>(i)]->gpus != 0b0001'0000) {
            devices.give_back(ServerId{2}, ones[static_cast<std::size_t>(i)]);
            ledger.release(ServerId{2}, std::vector<Amount>{1'000, 1'000}, 1);
        }
    }
    index.catch_up();
    CHECK(index.refused_count() == 1);
    CHECK(index.insufficient_count(1) == 0);
    CHECK(index.feasible_count() == 2);
    CHECK(index.best() == ServerId{1});
    devices.give_back(ServerId{1}, another);
    ledger.release(ServerId{1}, demand, 1);
    index.catch_up();
    CHECK(index.best() == ServerId{0});
}

TEST_CASE("server devices: what a scheduler says of servers that refuse", "[sim][devices]") {
    const auto tree = servers(2);
    core::Ledger ledger(tree);
    const sim::Profile profile = profile_of("group-allocator");
    tests::Decider decider(profile, ledger);
    // Six of the eight GPUs on each server are in use, so one is left on each island.
    const sim::Job three = job_of(together(3), 3);
    for (int i = 0; i < 4; ++i) {
        CHECK(decider.schedule(three, 1).found);
    }
    const sim::Job two = job_of(gpus(2), 2);
    CHECK(decider.schedule(two, 1).found);  // one on each island
    const sim::Job pair = job_of(together(2), 2);
    CHECK_FALSE(decider.schedule(pair, 1).found);
    CHECK(decider.placer.explain(pair, 0).reason ==
          "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't have the "
          "devices free together.");
    // A pod that asks for no devices by number needs no answer.
    sim::Job plain;
    plain.demand = {1'000, 0};
    const tests::Decider::Decision started = decider.schedule(plain, 1);
    CHECK(started.found);
    CHECK(started.grants == std::vector<std::vector<sim::Grant>>{{}});
}

TEST_CASE("server devices: members of a group get devices one by one", "[sim][devices]") {
    const auto tree = servers(2);
    core::Ledger ledger(tree);
    const sim::Profile profile = profile_of("group-allocator");
    tests::Decider decider(profile, ledger);
    sim::Job job = job_of(together(3), 3);
    job.group = true;
    job.size = 5;
    job.min_available = 5;
    // The amounts alone would allow two members on each server, and so do the devices: four in all.
    CHECK_FALSE(decider.schedule(job, 5).found);
    job.size = job.min_available = 3;
    const tests::Decider::Decision attempt = decider.schedule(job, 3);
    REQUIRE(attempt.found);
    REQUIRE(attempt.grants.size() == attempt.servers.size());
    for (std::size_t i = 0; i < attempt.servers.size(); ++i) {
        REQUIRE(std::ssize(attempt.grants[i]) == attempt.servers[i].count);
        core::DeviceMask taken = 0;
        for (const sim::Grant& grant : attempt.grants[i]) {
            CHECK(std::popcount(grant.devices->gpus) == 3);
            CHECK((taken & grant.devices->gpus) == 0);
            CHECK(grant.devices->reached.nvlink);
            taken |= grant.devices->gpus;
        }
        decider.cluster.release(job,
                                tree->server_of(attempt.servers[i].node),
                                attempt.servers[i].count,
                                attempt.grants[i]);
    }
    CHECK(dynamic_cast<ServerDevices&>(decider.cluster.inside()).free_gpus().whole == 16);
}
