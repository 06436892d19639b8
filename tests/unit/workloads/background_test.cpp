#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "workloads/background.hpp"

using namespace berth;

namespace {

std::shared_ptr<const core::Topology> servers(std::uint32_t count) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(2);
    capacity << 16'000, core::Amount{128} << 30;
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < count; ++server) {
        builder.add_server(0, "server-" + std::to_string(server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

}  // namespace

TEST_CASE("background: as many are full, idle and in use as the published generator says",
          "[workloads][background]") {
    // Published for these parameters: idle 30.0 %, full 26.4 %, mean 43.3 %.
    core::Ledger ledger(servers(200'000));
    workloads::apply_background(
        ledger, {.load = 0.4, .full = 0.25, .idle = 0.125, .variation = 1.5}, 1, "background");
    const core::Topology& tree = ledger.topology();
    double full = 0;
    double idle = 0;
    for (const core::NodeId node : tree.level_nodes(tree.server_level())) {
        const core::Amount cpu = ledger.allocated(node, 0);
        REQUIRE(cpu % 1000 == 0);
        REQUIRE(ledger.allocated(node, 1) % (core::Amount{1} << 30) == 0);
        full += cpu == 16'000 ? 1 : 0;
        idle += cpu == 0 ? 1 : 0;
    }
    CHECK(full / tree.server_count() == Approx(0.264).margin(0.005));
    CHECK(idle / tree.server_count() == Approx(0.300).margin(0.005));
    const double share = static_cast<double>(ledger.allocated(tree.root(), 0)) /
                         static_cast<double>(ledger.capacity(tree.root())[0]);
    CHECK(share == Approx(0.433).margin(0.004));
}

TEST_CASE("background: one seed, one load; another seed, another", "[workloads][background]") {
    const auto load = [](std::uint64_t seed) {
        core::Ledger ledger(servers(50));
        const workloads::BackgroundLoad drawn{
            .load = 0.4, .full = 0.25, .idle = 0.125, .variation = 1.5};
        workloads::apply_background(ledger, drawn, seed, "background");
        std::vector<core::Amount> amounts;
        for (std::uint32_t node = 0; node < ledger.topology().node_count(); ++node) {
            amounts.push_back(ledger.allocated(core::NodeId{node}, 0));
        }
        return amounts;
    };
    CHECK(load(1) == load(1));
    CHECK(load(1) != load(2));
}
