// A machine's devices as dense arrays.

#include "core/device_allocator/device_inventory.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/device_server.hpp"

using namespace berth;
using core::DeviceInventory;
using core::DeviceType;
using core::MachineDevices;
using tests::device;
using tests::gpu;
using tests::rdma;
using Texts = std::vector<std::string>;
using Numbers = std::vector<std::int16_t>;

namespace {

constexpr std::int16_t nowhere = core::DevicesOfType::nowhere;

core::DeviceDescription nowhere_known(core::DeviceDescription out) {
    out.topology.reset();
    return out;
}

MachineDevices many(DeviceType type, int count) {
    MachineDevices out;
    for (int minor = 0; minor < count; ++minor) {
        out.devices.push_back(device(type, minor, 0, std::to_string(minor / 64)));
    }
    return out;
}

}  // namespace

TEST_CASE("device inventory: each type counts its own resources, and what else it is told to",
          "[core][devices]") {
    MachineDevices machine;
    machine.devices = {device(rdma, 0, 0, "a")};
    machine.devices[0].resources["example.com/lanes"] = 4;
    machine.also_counted = {{gpu, "example.com/codec"},
                            {rdma, "example.com/lanes"},
                            {DeviceType::fpga, "koordinator.sh/fpga"}};
    const DeviceInventory inventory(machine);
    CHECK(inventory.of(gpu).resources == Texts{"koordinator.sh/gpu-core",
                                               "koordinator.sh/gpu-memory",
                                               "koordinator.sh/gpu-memory-ratio",
                                               "example.com/codec"});
    CHECK(inventory.of(rdma).resources == Texts{"koordinator.sh/rdma", "example.com/lanes"});
    CHECK(inventory.of(DeviceType::fpga).resources == Texts{"koordinator.sh/fpga"});
    CHECK(inventory.of(rdma).find_resource("example.com/lanes") == 1);
    CHECK_FALSE(inventory.of(rdma).find_resource("example.com/codec").has_value());
}

TEST_CASE("device inventory: devices stand by minor, with what they give", "[core][devices]") {
    MachineDevices machine;
    machine.devices = {device(rdma, 7, 0, "a"),
                       device(rdma, 2, 0, "a"),
                       device(rdma, 4, 0, "a"),
                       device(rdma, 5, 0, "a"),
                       device(gpu, 0, 0, "a")};
    machine.devices[1].healthy = false;
    machine.devices[2].listed = false;
    machine.devices[3].resources = {{"koordinator.sh/rdma", 0}};
    const DeviceInventory inventory(machine);
    const core::DevicesOfType& nics = inventory.of(rdma);
    REQUIRE(nics.size() == 4);
    CHECK(nics.find_minor(2) == 0);
    CHECK(nics.find_minor(7) == 3);
    CHECK_FALSE(nics.find_minor(3).has_value());
    CHECK_FALSE(nics.find_minor(8).has_value());
    CHECK(nics.total == std::vector<core::Amount>{0, 0, 0, 100});
    CHECK(nics.published == std::vector<std::uint64_t>{0, 0, 1, 1});
    CHECK(nics.listed == 0b1101);
    CHECK(nics.healthy == 0b1000);
    CHECK(nics.all() == 0b1111);
    // The GPU's three amounts come first, then those of the NICs.
    CHECK(inventory.of(gpu).first_used == 0);
    CHECK(nics.first_used == 3);
    CHECK(inventory.amount_count() == 7);
}

TEST_CASE("device inventory: places are numbered over all types", "[core][devices]") {
    MachineDevices machine;
    machine.devices = {device(gpu, 0, 1, "x"),
                       device(gpu, 1, 0, "x"),
                       nowhere_known(device(gpu, 2, 0, "x")),
                       device(rdma, 0, 0, "x"),
                       device(rdma, 1, 0, "y")};
    const DeviceInventory inventory(machine);
    CHECK(inventory.of(gpu).numa == Numbers{0, 1, nowhere});
    CHECK(inventory.of(gpu).pcie == Numbers{0, 1, nowhere});
    CHECK(inventory.of(gpu).pcie_name == Numbers{0, 0, nowhere});
    CHECK(inventory.of(rdma).numa == Numbers{1, 1});
    CHECK(inventory.of(rdma).pcie == Numbers{1, 2});
    CHECK(inventory.of(rdma).pcie_name == Numbers{0, 1});
    // One GPU with an unknown place makes the whole tree unknown, unless that GPU is gone.
    CHECK(inventory.gpu_tree() == nullptr);
    machine.devices[2].listed = false;
    const DeviceInventory without(machine);
    REQUIRE(without.gpu_tree() != nullptr);
    CHECK(without.gpu_tree()->gpus == 0b111);
    REQUIRE(without.gpu_tree()->inside.size() == 2);
    CHECK(without.gpu_tree()->inside[0].gpus == 0b010);
    CHECK(without.gpu_tree()->inside[1].gpus == 0b001);
}

TEST_CASE("device inventory: functions with one bus id share a slot", "[core][devices]") {
    MachineDevices machine;
    machine.devices = {device(rdma, 0, 0, "a"), device(rdma, 1, 0, "b")};
    machine.devices[0].vf_groups = {{{}, {{0, "2"}, {1, "1"}}}, {{}, {{2, "3"}, {3, "2"}}}};
    machine.devices[1].vf_groups = {{{}, {{4, "1"}}}};
    const DeviceInventory inventory(machine);
    CHECK(inventory.of(rdma).has_vf_groups);
    CHECK_FALSE(inventory.of(gpu).has_vf_groups);
    std::vector<std::vector<std::size_t>> shown;
    for (const auto& functions : inventory.of(rdma).functions) {
        for (const core::VfEntry& entry : functions) {
            shown.push_back(
                {static_cast<std::size_t>(entry.function.minor), entry.group, entry.slot});
        }
    }
    // Each row is minor, group and slot. The rows of a NIC are in the order of bus ids, and those
    // with the same bus id in the order of groups.
    CHECK(shown == std::vector<std::vector<std::size_t>>{
                       {1, 0, 0}, {0, 0, 1}, {3, 1, 1}, {2, 1, 2}, {4, 0, 3}});
    CHECK(inventory.vf_slot_count() == 4);
}

TEST_CASE("device inventory: whose table of partitions counts, and whether it is honored",
          "[core][devices]") {
    const auto made = [](const core::Labels& node, const core::Labels& own, bool has_table) {
        MachineDevices machine = tests::machine();
        machine.node_labels = node;
        machine.device_labels = own;
        if (has_table) {
            machine.partitions = core::GpuPartitionTable{};
        }
        return DeviceInventory(machine);
    };
    const auto model = [](const std::string& name) {
        return core::Labels{{"node.koordinator.sh/gpu-model", name}};
    };
    for (const std::string name : {"H100", "H800", "H20"}) {
        CAPTURE(name);
        CHECK(made(model(name), {}, false).partitions() != nullptr);
    }
    CHECK(made(model("A100"), {}, false).partitions() == nullptr);
    core::Labels hopper = model("H100");
    hopper["node.koordinator.sh/gpu-vendor"] = "nvidia";
    CHECK(made(hopper, {}, false).partitions() != nullptr);
    hopper["node.koordinator.sh/gpu-vendor"] = "other";
    CHECK(made(hopper, {}, false).partitions() == nullptr);
    CHECK(made(hopper, {}, true).partitions() != nullptr);

    // A table in the Device object goes by the labels of that object, any other table by those of
    // the node.
    const core::Labels honor{{"node.koordinator.sh/gpu-partition-policy", "Honor"}};
    CHECK(made(honor, {}, false).honors_partitions());
    CHECK_FALSE(made(honor, {}, true).honors_partitions());
    CHECK(made({}, honor, true).honors_partitions());
    CHECK_FALSE(made({}, honor, false).honors_partitions());
    CHECK_FALSE(made({{"node.koordinator.sh/gpu-partition-policy", "Prefer"}}, {}, false)
                    .honors_partitions());

    const std::string planned = "node.koordinator.sh/secondary-device-well-planned";
    CHECK(made({}, {{planned, "true"}}, false).well_planned());
    CHECK_FALSE(made({}, {{planned, "yes"}}, false).well_planned());
    CHECK_FALSE(made({{planned, "true"}}, {}, false).well_planned());
}

TEST_CASE("device inventory: what cannot be counted is refused", "[core][devices]") {
    CHECK_FALSE(DeviceInventory::refusal(many(gpu, 64)).has_value());
    CHECK(DeviceInventory(many(gpu, 64)).of(gpu).all() == ~core::DeviceMask{0});
    CHECK(DeviceInventory::refusal(many(rdma, 65)) ==
          "the machine has 65 devices of type rdma: expected at most 64");
    MachineDevices twice = many(gpu, 2);
    twice.devices[1].minor = 0;
    CHECK(DeviceInventory::refusal(twice) ==
          "gpu 0 is there twice: expected each minor of a type once");
    // A switch is identified by its name and its NUMA node.
    MachineDevices wide = many(gpu, 64);
    for (int i = 0; i < 64; ++i) {
        wide.devices[static_cast<std::size_t>(i)].topology = {0, i % 2, std::to_string(i / 2), ""};
    }
    CHECK_FALSE(DeviceInventory::refusal(wide).has_value());
    wide.devices.push_back(device(rdma, 0, 2, "0"));
    CHECK(DeviceInventory::refusal(wide) ==
          "the machine has 65 PCIe switches: expected at most 64");
}
