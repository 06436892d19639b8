#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workloads/failures/failure_model.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

using workloads::Distribution;
using workloads::DistributionKind;

/// Racks of servers with two NICs each; names are those of a generated topology.
std::shared_ptr<const core::Topology> racks_of(std::uint32_t racks, std::uint32_t servers) {
    core::ResourceSchema schema;
    schema.add("cpu");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 1000;
    core::DeviceGroup nics;
    nics.kind = "rdma";
    nics.count = 2;
    builder.add_machine_type({"host", capacity, {nics}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        builder.add_node(0, fmt::format("rack-{}", rack));
    }
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < racks * servers; ++server) {
        builder.add_server(server / servers, fmt::format("server-{}", server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

Distribution exponential(double mean) {
    return {DistributionKind::exponential, mean, 0, {}, {}};
}

Distribution constant(double value) {
    return {DistributionKind::constant, value, 0, {}, {}};
}

workloads::FailureCause cause(const std::string& name,
                              std::uint32_t level,
                              Distribution between,
                              Distribution repair) {
    workloads::FailureCause out;
    out.name = name;
    out.level = core::Level{level};
    out.between = std::move(between);
    out.repair = std::move(repair);
    return out;
}

/// An outage as it turned out.
struct Out {
    double at_s = 0;
    double back_s = -1;
    std::string component;
    std::string level;
    std::uint32_t cause = 0;
    friend bool operator==(const Out&, const Out&) = default;
};

std::vector<Out> outages_of(const workloads::FailureModel& model,
                            const std::shared_ptr<const core::Topology>& tree,
                            sim::SimTime until,
                            std::uint64_t seed = 7) {
    std::vector<Out> outages;
    sim::SimTime last{};
    const auto source = workloads::make_failures(model, tree, seed, until);
    while (const auto event = source->next()) {
        REQUIRE(event->at >= last);
        REQUIRE(event->at <= until);
        last = event->at;
        if (event->begins) {
            REQUIRE(event->number == outages.size());
            REQUIRE(event->begins->at == event->at);
            outages.push_back({sim::seconds(event->at),
                               -1,
                               event->begins->component,
                               event->begins->level,
                               event->begins->cause});
        } else {
            REQUIRE(outages.at(event->number).back_s == -1);
            outages[event->number].back_s = sim::seconds(event->at);
        }
    }
    return outages;
}

std::vector<Out> of(const std::vector<Out>& outages, const std::string& component) {
    std::vector<Out> out;
    std::ranges::copy_if(outages, std::back_inserter(out), [&](const Out& one) {
        return one.component == component;
    });
    return out;
}

workloads::FailureModel model_of(std::vector<workloads::FailureCause> causes) {
    workloads::FailureModel model;
    model.causes = std::move(causes);
    return model;
}

}  // namespace

TEST_CASE("failures: a component works, is repaired, and works again", "[workloads][failures]") {
    const auto outages = outages_of(
        model_of({cause("power", 1, constant(100), constant(10))}), racks_of(1, 2), 350s);
    CHECK(outages == std::vector<Out>{{100, 110, "rack-0", "rack", 0},
                                      {210, 220, "rack-0", "rack", 0},
                                      {320, 330, "rack-0", "rack", 0}});
}

TEST_CASE("failures: more servers and more causes change nobody else's", "[workloads][failures]") {
    const auto model = model_of({cause("board", 2, exponential(1000), exponential(100))});
    auto more = model;
    more.causes.insert(more.causes.begin(), cause("power", 1, exponential(5000), constant(60)));
    const auto few = outages_of(model, racks_of(1, 4), 50000s);
    const auto many = outages_of(more, racks_of(8, 4), 50000s);
    for (const std::string server : {"server-0", "server-3"}) {
        const auto here = of(few, server);
        auto there = of(many, server);
        REQUIRE(here.size() > 20);
        for (Out& one : there) {
            one.cause = 0;  // its number among the causes differs
        }
        CHECK(here == there);
    }
    CHECK(of(few, "server-0")[0].at_s != of(few, "server-1")[0].at_s);
    CHECK(outages_of(model, racks_of(1, 4), 50000s, 8)[0].at_s != few[0].at_s);
}

TEST_CASE("failures: nodes of one name have random numbers of their own", "[workloads][failures]") {
    core::ResourceSchema schema;
    schema.add("cpu");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 1;
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "same", 0);
    builder.add_server(0, "same", 0);
    const auto tree = std::make_shared<const core::Topology>(builder.build());
    const auto outages =
        outages_of(model_of({cause("board", 1, exponential(100), constant(1))}), tree, 300s);
    REQUIRE(outages.size() > 1);
    CHECK(outages[0].at_s != outages[1].at_s);
}

TEST_CASE("failures: each device of a kind fails by itself", "[workloads][failures]") {
    auto nic = cause("nic", 2, constant(100), constant(1));
    nic.device = "rdma";
    const auto outages = outages_of(model_of({nic}), racks_of(1, 2), 100s);
    CHECK(outages == std::vector<Out>{{100, -1, "server-0/rdma-0", "rdma", 0},
                                      {100, -1, "server-0/rdma-1", "rdma", 0},
                                      {100, -1, "server-1/rdma-0", "rdma", 0},
                                      {100, -1, "server-1/rdma-1", "rdma", 0}});
    nic.machine_type = "another";
    CHECK(outages_of(model_of({nic}), racks_of(1, 2), 100s).empty());
}

TEST_CASE("failures: crews repair the oldest first", "[workloads][failures]") {
    auto model = model_of({cause("board", 2, constant(100), constant(50))});
    model.crews = 1;
    const auto outages = outages_of(model, racks_of(1, 3), 260s);
    CHECK(outages == std::vector<Out>{{100, 150, "server-0", "server", 0},
                                      {100, 200, "server-1", "server", 0},
                                      {100, 250, "server-2", "server", 0},
                                      {250, -1, "server-0", "server", 0}});
}

TEST_CASE("failures: a server that fails too often stays out", "[workloads][failures]") {
    auto model = model_of({cause("board", 2, constant(100), constant(10))});
    model.quarantine = workloads::Quarantine{2, 150s, 1000s};
    const auto outages = outages_of(model, racks_of(1, 1), 1500s);
    CHECK(outages == std::vector<Out>{{100, 110, "server-0", "server", 0},
                                      {210, 1210, "server-0", "server", 0},
                                      {1310, 1320, "server-0", "server", 0},
                                      {1420, -1, "server-0", "server", 0}});
    model.quarantine->within = 100s;
    CHECK(outages_of(model, racks_of(1, 1), 1500s).size() == 13);
}

TEST_CASE("failures: lemons fail more often, and the others as before", "[workloads][failures]") {
    auto model = model_of({cause("board", 2, exponential(1000), constant(0))});
    const auto tree = racks_of(1, 200);
    const auto sound = outages_of(model, tree, 20000s);
    model.lemons = workloads::Lemons{0.25, 10};
    const auto outages = outages_of(model, tree, 20000s);
    int lemons = 0;
    for (int server = 0; server < 200; ++server) {
        const std::string name = fmt::format("server-{}", server);
        if (of(outages, name) == of(sound, name)) {
            continue;
        }
        ++lemons;
        CHECK(of(outages, name).size() > 150);
        CHECK(of(sound, name).size() < 45);
    }
    // Binomial with 200 draws of 0.25: 50 +- 6.1.
    CHECK(lemons > 25);
    CHECK(lemons < 75);
}

TEST_CASE("failures: what was recorded comes as it was", "[workloads][failures]") {
    auto model = model_of({cause("board", 2, constant(100), constant(10))});
    model.recorded_causes = {"power"};
    const auto tree = racks_of(2, 1);
    model.recorded = {{50s, 130s, core::NodeId{2}, 1}, {60s, std::nullopt, core::NodeId{1}, 1}};
    const auto outages = outages_of(model, tree, 150s);
    CHECK(outages == std::vector<Out>{{50, 130, "rack-1", "rack", 1},
                                      {60, -1, "rack-0", "rack", 1},
                                      {100, 110, "server-0", "server", 0},
                                      {100, 110, "server-1", "server", 0}});
    CHECK(model.cause_names() == std::vector<std::string>{"board", "power"});
    CHECK(workloads::make_failures({}, tree, 1, 100s) == nullptr);
}
