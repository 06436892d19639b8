#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <string>

#include "core/tree/topology.hpp"
#include "workloads/failures/optimal_interval.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// Two racks of three servers: two with 8 CPUs and two NICs, and a small one with 2 CPUs. No server
/// has the third machine type.
std::shared_ptr<const core::Topology> two_racks() {
    core::ResourceSchema schema;
    schema.add("units");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    core::DeviceGroup nics;
    nics.kind = "rdma";
    nics.count = 2;
    capacity(0) = 8;
    builder.add_machine_type({"large", capacity, {nics}});
    capacity(0) = 2;
    builder.add_machine_type({"small", capacity, {}});
    capacity(0) = 16;
    builder.add_machine_type({"none", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "rack-0");
    builder.add_node(0, "rack-1");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < 6; ++server) {
        builder.add_server(server / 3, "server-" + std::to_string(server), server % 3 == 2 ? 1 : 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

workloads::FailureCause cause(std::uint32_t level, double mtbf, std::string device = "") {
    workloads::FailureCause out;
    out.name = "cause";
    out.level = core::Level{level};
    out.device = std::move(device);
    out.between = {workloads::DistributionKind::exponential, mtbf, 0, {}, {}};
    return out;
}

sim::Job job(core::Amount units, core::Members size) {
    sim::Job out;
    out.demand = {units};
    out.size = size;
    return out;
}

constexpr std::uint32_t rack = 1;
constexpr std::uint32_t server = 2;

double rate_of(const workloads::FailureModel& model, const sim::Job& of) {
    return workloads::InterruptionRates(model, two_racks()).of(of);
}

}  // namespace

TEST_CASE("optimal interval: Daly's formula", "[workloads]") {
    // d = 0.5, M = 1: 1 x (1 + 1/2 x 1/3 + 1/4 x 1/9) - 0.5.
    CHECK(workloads::optimal_interval(0.5, 1) == Approx(1 + 1.0 / 6 + 1.0 / 36 - 0.5));
    // d = 300, M = 86 400: sqrt(2 d M) is 7200, d / 2 M is 1 / 576.
    CHECK(workloads::optimal_interval(300, 86'400) ==
          Approx(7200 * (1 + 1.0 / 24 / 3 + 1.0 / 576 / 9) - 300));
    CHECK(workloads::optimal_interval(2, 1) == 1);  // from d = 2 M on it is M
    CHECK(workloads::optimal_interval(3, 1) == 1);
}

TEST_CASE("optimal interval: how often a job is interrupted", "[workloads]") {
    SECTION("each of its servers fails, and the racks that so many servers have") {
        const workloads::FailureModel model{
            {cause(server, 100), cause(rack, 1000)}, {}, 0, {}, {}, {}};
        // 8 members of 4 units, two on a large server, take 4 servers, which are in 2 racks of
        // three.
        CHECK(rate_of(model, job(4, 8)) == Approx(4 / 100.0 + 2 / 1000.0));
        CHECK(rate_of(model, job(8, 1)) == Approx(1 / 100.0 + 1 / 1000.0));
        // A job has no more servers than there are; members that fit nowhere count one server each.
        CHECK(rate_of(model, job(8, 99)) == Approx(4 / 100.0 + 2 / 1000.0));
        CHECK(rate_of(model, job(9, 3)) == Approx(3 / 100.0 + 1 / 1000.0));
    }
    SECTION("no more members on a server than an application may have there") {
        const workloads::FailureModel model{{cause(server, 100)}, {}, 0, {}, {}, {}};
        sim::Job spread = job(1, 4);
        CHECK(rate_of(model, spread) == Approx(1 / 100.0));
        spread.per_server_max = 1;
        CHECK(rate_of(model, spread) == Approx(4 / 100.0));
    }
    SECTION("devices fail each by itself, on servers that have them") {
        const workloads::FailureModel model{{cause(server, 100, "rdma")}, {}, 0, {}, {}, {}};
        CHECK(rate_of(model, job(8, 1)) == Approx(2 / 100.0));
        CHECK(rate_of(model, job(2, 1)) == Approx(2 / 100.0 * 4 / 6));  // or it is on a small one
    }
    SECTION("lemons fail more often") {
        workloads::FailureModel model{{cause(server, 100), cause(rack, 100)}, {}, 0, {}, {}, {}};
        model.lemons = workloads::Lemons{0.5, 3};
        CHECK(rate_of(model, job(8, 1)) == Approx(2 / 100.0 + 1 / 100.0));
    }
}

TEST_CASE("optimal interval: it is put in where none is stated", "[workloads]") {
    const auto tree = two_racks();
    const workloads::FailureModel model{{cause(server, 86'400)}, {}, 0, {}, {}, {}};
    const workloads::InterruptionRates rates(model, tree);
    sim::Job one = job(8, 1);
    set_optimal_interval(one, rates);
    CHECK_FALSE(one.checkpoint);
    one.checkpoint = sim::Checkpoint{0s, 300s, 0s};
    set_optimal_interval(one, rates);
    CHECK(sim::seconds(one.checkpoint->every) ==
          Approx(workloads::optimal_interval(300, 86'400)).margin(1e-9));
    one.checkpoint->every = 7s;
    set_optimal_interval(one, rates);
    CHECK(one.checkpoint->every == sim::SimTime(7s));
    // Nothing interrupts a job that runs on large servers alone where only small ones fail.
    workloads::FailureModel small = model;
    small.causes[0].machine_type = "small";
    one.checkpoint->every = 0s;
    set_optimal_interval(one, workloads::InterruptionRates(small, tree));
    CHECK(one.checkpoint->every == sim::never);
}
