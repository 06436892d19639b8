// The allocator of devices, by the examples of its document.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/device_allocator/device_allocator.hpp"
#include "core/device_allocator/device_locality.hpp"
#include "tests/support/device_server.hpp"

using namespace berth;
using core::AllocateStrategy;
using core::DeviceSolver;
using core::ExclusivePolicy;
using core::TopologyScope;
using tests::gpu;
using tests::jointly;
using tests::machine;
using tests::pairs;
using tests::rdma;
using tests::Server;
using tests::violation;
using tests::with_functions;

// The document's examples -----------------------------------------------------------------------

TEST_CASE("devices: 4 GPUs and 4 NICs in pairs on their PCIe switches, although rdma=1",
          "[core][devices]") {
    const auto solver = GENERATE(DeviceSolver::greedy, DeviceSolver::exact);
    const Server server(machine());
    CHECK(server.told(jointly(4, 1), solver) == "gpu 0 1 2 3 rdma 0 1 2 3");
    const auto locality =
        core::device_locality(*server.inventory, server.allocation(jointly(4, 1)));
    CHECK(locality == core::DeviceLocality{TopologyScope::numa_node, 4, 4, 1, 4, true});
}

TEST_CASE("devices: 4 GPUs and one NIC where only one of the switches has a NIC",
          "[core][devices]") {
    const auto solver = GENERATE(DeviceSolver::greedy, DeviceSolver::exact);
    CHECK(Server(machine({2})).told(jointly(4, 1), solver) == "gpu 0 1 2 3 rdma 2");
    CHECK(Server(machine({2, 6})).told(jointly(4, 1), solver) == "gpu 0 1 2 3 rdma 2");
}

TEST_CASE("devices: scheduling fails if the same PCIe is required and the types are not on it",
          "[core][devices]") {
    const auto solver = GENERATE(DeviceSolver::greedy, DeviceSolver::exact);
    CHECK(Server(machine()).told(jointly(4, 1, true), solver) == "gpu 0 1 2 3 rdma 0 1 2 3");
    CHECK(Server(machine({2})).told(jointly(4, 1, true), solver) == violation);
    CHECK(Server(machine({2})).told(jointly(1, 1, true), solver) == "gpu 2 rdma 2");
}

TEST_CASE("devices: the NUMA node is tried where the PCIe switch has none, then the machine",
          "[core][devices]") {
    Server server(machine({3, 5, 7}));
    for (int minor = 0; minor < 4; ++minor) {
        server.use(gpu, minor);
    }
    CHECK(server.told(jointly(1, 1)) == "gpu 4 rdma 5");
    server.use(rdma, 5);
    CHECK(server.told(jointly(1, 1)) == "gpu 4 rdma 7");
    server.use(rdma, 7);
    CHECK(server.told(jointly(1, 1)) == "gpu 4 rdma 3");
}

TEST_CASE("devices: PCIeLevel gives switches that nobody uses, and lets nobody in later",
          "[core][devices]") {
    core::DevicePod exclusive = jointly(4, 1, true);
    exclusive.hints[rdma].vf_selector = core::LabelSelector{};
    exclusive.hints[rdma].exclusive = ExclusivePolicy::pcie_level;
    Server server(with_functions(machine()));
    CHECK(server.told(exclusive) == "gpu 0 1 2 3 rdma 0 1 2 3");
    server.use(rdma, 0, 1);
    CHECK(server.told(exclusive) == "gpu 4 5 6 7 rdma 4 5 6 7");
    const core::DeviceAllocation taken = server.allocation(exclusive);
    server.state.take(*server.inventory, taken);
    CHECK(server.told(exclusive) == violation);
    core::DevicePod other;
    other.requests = {{"koordinator.sh/rdma", 5}};
    other.hints[rdma].strategy = AllocateStrategy::requests_as_count;
    CHECK(server.told(other) == "Insufficient rdma devices");
    server.state.give_back(*server.inventory, taken);
    CHECK(server.told(other) == "rdma 0 1 2 3 4");
}

TEST_CASE("devices: ApplyForAll takes the amount from every NIC of the machine",
          "[core][devices]") {
    core::DevicePod all;
    all.requests = {{"koordinator.sh/rdma", 100}};
    all.hints[rdma].strategy = AllocateStrategy::apply_for_all;
    Server server(machine({0, 1, 2}));
    const core::DeviceAllocation taken = server.allocation(all);
    CHECK(taken[rdma].amounts == std::vector<core::Amount>{100, 100, 100});
    CHECK(server.use(rdma, 1, 1).told(all) == "Insufficient rdma devices");
}

TEST_CASE("devices: RequestsAsCount with a vfSelector takes one VF from each of two NICs",
          "[core][devices]") {
    core::DevicePod two;
    two.requests = {{"koordinator.sh/rdma", 2}};
    two.hints[rdma].strategy = AllocateStrategy::requests_as_count;
    two.hints[rdma].vf_selector = core::LabelSelector{};
    Server server(with_functions(machine({0, 1, 2})));
    const core::DeviceAllocation taken = server.allocation(two);
    CHECK(mask_of(taken[rdma]) == 0b011);
    CHECK(taken[rdma].vfs == std::vector<std::int32_t>{0, 0});  // "…00.2" precedes "…00.3"
    server.state.take(*server.inventory, taken);
    CHECK(server.allocation(two)[rdma].vfs == std::vector<std::int32_t>{1, 1});
    CHECK(Server(with_functions(machine({0}))).told(two) == "Insufficient rdma devices");
    CHECK(Server(machine()).told(two) == "Insufficient rdma VirtualFunctions");
    two.hints[rdma].vf_selector->match_labels = {{"type", "storage"}};
    CHECK(server.told(two) == "Insufficient rdma devices");
}
