#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <tuple>

#include "core/device_allocator/device_inventory.hpp"
#include "core/machine_views/device_object_view.hpp"
#include "core/machine_views/device_places.hpp"
#include "core/machine_views/group_key_view.hpp"
#include "core/machine_views/provider_view.hpp"
#include "tests/support/machine_view_readers.hpp"

namespace {

using namespace berth;
using core::DeviceGroup;
using core::GroupAmounts;
using core::MachineDevices;
using core::MachineType;
using core::ProviderNode;

using Numbers = std::vector<std::int64_t>;

core::ResourceSchema schema() {
    core::ResourceSchema out;
    out.add("cpu");
    out.add("memory");
    return out;
}

MachineType machine(std::vector<DeviceGroup> devices) {
    MachineType type{"type", core::Amounts::Zero(2), std::move(devices)};
    type.capacity << 192'500, std::int64_t{2} << 40;
    return type;
}

DeviceGroup group(std::string kind, std::int64_t count) {
    DeviceGroup out;
    out.kind = std::move(kind);
    out.count = count;
    return out;
}

/// Eight GPUs on four switches of two NUMA nodes, in two islands, and four NICs.
MachineType hgx() {
    DeviceGroup gpu = group("gpu", 8);
    gpu.model = "H100";
    gpu.memory_bytes = std::int64_t{80} << 30;
    gpu.numa = {0, 0, 0, 0, 1, 1, 1, 1};
    gpu.pcie = {0, 0, 1, 1, 2, 2, 3, 3};
    gpu.nvlink = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    DeviceGroup rdma = group("rdma", 4);
    rdma.numa = {0, 0, 1, 1};
    rdma.pcie = {0, 1, 2, 3};
    rdma.virtual_functions = 8;
    return machine({gpu, rdma});
}

/// The part of a group that the names of group resources keep.
DeviceGroup as_group_keys_keep(DeviceGroup group) {
    group.model.clear();
    if (group.kind != "gpu") {
        group.pcie.clear();
        group.nvlink.clear();
        return group;
    }
    std::set<std::int64_t> linked;
    for (const auto& island : group.nvlink) {
        linked.insert(island.begin(), island.end());
    }
    if (!linked.empty()) {
        group.pcie.clear();  // lost for GPUs on islands, so not known of all
    }
    return group;
}

DeviceGroup as_providers_keep(DeviceGroup group) {
    group.memory_bytes = 0;
    return group;
}

bool by_kind(const DeviceGroup& a, const DeviceGroup& b) {
    return a.kind < b.kind;
}

template <class Keep>
void check_same(std::vector<DeviceGroup> seen, std::vector<DeviceGroup> expected, Keep keep) {
    std::ranges::transform(expected, expected.begin(), keep);
    std::ranges::sort(seen, by_kind);
    std::ranges::sort(expected, by_kind);
    REQUIRE(seen.size() == expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CAPTURE(seen[i].kind);
        CHECK(seen[i].count == expected[i].count);
        CHECK(seen[i].model == expected[i].model);
        CHECK(seen[i].memory_bytes == expected[i].memory_bytes);
        CHECK(seen[i].virtual_functions == expected[i].virtual_functions);
        CHECK(seen[i].numa == expected[i].numa);
        CHECK(seen[i].pcie == expected[i].pcie);
        CHECK(seen[i].nvlink == expected[i].nvlink);
    }
}

const auto keep_all = [](DeviceGroup group) { return group; };

/// A machine of which each property is known or unknown. Islands stay within a NUMA node, and are
/// numbered by their first device.
MachineType random_machine(std::mt19937_64& bits) {
    const auto draw = [&](std::int64_t below) {
        return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(below));
    };
    std::vector<DeviceGroup> groups;
    // Either the switches are numbered across NUMA nodes, or each NUMA node counts its own from 0.
    const bool count_through = draw(2) == 0;
    for (const char* kind : {"gpu", "rdma", "fpga"}) {
        DeviceGroup out = group(kind, 1 + draw(12));
        const bool numa = draw(3) > 0;
        const bool pcie = draw(2) == 0 && (numa || count_through);
        const std::string name = kind;
        for (std::int64_t i = 0; i < out.count; ++i) {
            const std::int64_t node = i * 2 / out.count;
            if (numa) {
                out.numa.push_back(node);
            }
            if (pcie) {
                out.pcie.push_back(count_through ? i / 2 : i / 2 % 2);
            }
            if (name == "gpu" && draw(8) > 0) {
                const auto island = static_cast<std::size_t>(node);
                out.nvlink.resize(std::max(out.nvlink.size(), island + 1));
                out.nvlink[island].push_back(i);
            }
        }
        std::erase_if(out.nvlink, [](const Numbers& island) { return island.empty(); });
        if (draw(2) == 0) {
            out.nvlink.clear();
        }
        out.model = draw(2) == 0 ? "" : "M" + std::to_string(draw(100));
        out.memory_bytes = name == "gpu" ? draw(3) << 30 : 0;
        out.virtual_functions = name == "rdma" ? draw(300) : 0;
        if (draw(5) > 0) {
            groups.push_back(std::move(out));
        }
    }
    std::ranges::shuffle(groups, bits);
    return machine(std::move(groups));
}

}  // namespace

TEST_CASE("machine views: group keys by island, switch, NUMA node or none",
          "[core][machine_views]") {
    DeviceGroup islands = group("gpu", 3);
    islands.numa = {0, 0, 1};
    islands.pcie = {0, 0, 1};
    islands.nvlink = {{0, 1}};
    DeviceGroup switches = group("gpu", 2);
    switches.pcie = {4, 5};
    DeviceGroup nodes = group("gpu", 2);
    nodes.numa = {0, 1};
    DeviceGroup across = group("gpu", 4);
    across.numa = {0, 1, 2, 3};
    across.nvlink = {{0, 2}};
    using Row = std::tuple<std::string, DeviceGroup, std::vector<std::string>>;
    const auto [what, gpus, names] =
        GENERATE_COPY(table<std::string, DeviceGroup, std::vector<std::string>>({
            Row{"nothing known: flat", group("gpu", 2), {"gpu/0", "gpu/1"}},
            Row{"an island, and a GPU in none",
                islands,
                {"gpugrp1/numa0/gpugrp0/nvlink0/gpu/0",
                 "gpugrp1/numa0/gpugrp0/nvlink0/gpu/1",
                 "gpugrp1/numa1/gpugrp0/pcie1/gpu/2"}},
            Row{"switches alone",
                switches,
                {"gpugrp1/machine/gpugrp0/pcie4/gpu/0", "gpugrp1/machine/gpugrp0/pcie5/gpu/1"}},
            Row{"NUMA nodes alone",
                nodes,
                {"gpugrp1/numa0/gpugrp0/numa0/gpu/0", "gpugrp1/numa1/gpugrp0/numa1/gpu/1"}},
            Row{"an island over two NUMA nodes makes them one",
                across,
                {"gpugrp1/numa0-2/gpugrp0/nvlink0/gpu/0",
                 "gpugrp1/numa0-2/gpugrp0/nvlink0/gpu/2",
                 "gpugrp1/numa1/gpugrp0/numa1/gpu/1",
                 "gpugrp1/numa3/gpugrp0/numa3/gpu/3"}},
        }));
    CAPTURE(what);
    GroupAmounts expected;
    for (const std::string& name : names) {
        expected["resource/group/" + name + "/cards"] = 1;
    }
    CHECK(core::group_key_view(machine({gpus})) == expected);
}

TEST_CASE("machine views: other devices stand in the NUMA nodes' groups", "[core][machine_views]") {
    const GroupAmounts keys = core::group_key_view(hgx());
    CHECK(keys.size() == 8 * 2 + 4 * 2);
    CHECK(keys.at("resource/group/gpugrp1/numa1/gpugrp0/nvlink1/gpu/4/memory") == std::int64_t{80}
                                                                                      << 30);
    CHECK(keys.at("resource/group/gpugrp1/numa1/rdma/2/cards") == 1);
    CHECK(keys.at("resource/group/gpugrp1/numa1/rdma/2/vfs") == 8);
    // One island for all: both NUMA nodes form one group, and the NICs stand in it.
    MachineType joined = hgx();
    joined.devices[0].nvlink = {{0, 1, 2, 3, 4, 5, 6, 7}};
    const GroupAmounts together = core::group_key_view(joined);
    CHECK(together.contains("resource/group/gpugrp1/numa0-1/gpugrp0/nvlink0/gpu/7/cards"));
    CHECK(together.contains("resource/group/gpugrp1/numa0-1/rdma/3/cards"));
    CHECK(tests::devices_of_group_keys(together)[0].numa.empty());
}

TEST_CASE("machine views: group keys as the document writes them are read",
          "[core][machine_views]") {
    GroupAmounts keys{{"nvidia.com/gpu", 4}, {"resource/group/gpugrp1/0/odd", 1}};
    for (const char* name : {"gpugrp1/0/gpugrp0/0/gpu/dev0",
                             "gpugrp1/0/gpugrp0/0/gpu/dev1",
                             "gpugrp1/1/gpugrp0/1/gpu/dev10",
                             "gpugrp1/1/gpugrp0/1/gpu/dev2"}) {
        keys["resource/group/" + std::string(name) + "/cards"] = 1;
    }
    const auto groups = tests::devices_of_group_keys(keys);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].count == 4);
    CHECK(groups[0].numa == Numbers{0, 0, 1, 1});
    CHECK(groups[0].nvlink == std::vector<Numbers>{{0, 1}, {2, 3}});
}

TEST_CASE("machine views: a Device object has an amount, a place and an address for each",
          "[core][machine_views]") {
    const MachineDevices view = core::device_object_view(hgx());
    REQUIRE(view.devices.size() == 12);
    const core::DeviceDescription& gpu = view.devices[4];
    CHECK(gpu.uuid == "GPU-4");
    CHECK(gpu.minor == 4);
    CHECK(gpu.resources.at("koordinator.sh/gpu-core") == 100);
    CHECK(gpu.resources.at("koordinator.sh/gpu-memory") == std::int64_t{80} << 30);
    CHECK(gpu.resources.at("koordinator.sh/gpu-memory-ratio") == 100);
    REQUIRE(gpu.topology);
    CHECK(gpu.topology->socket == 1);
    CHECK(gpu.topology->numa_node == 1);
    CHECK(gpu.topology->pcie == "2");
    CHECK(gpu.topology->bus_id == "0000:05:00.0");
    const core::DeviceDescription& nic = view.devices[8];
    CHECK(nic.uuid == "0000:09:00.0");
    CHECK(nic.resources.at("koordinator.sh/rdma") == 100);
    REQUIRE(nic.vf_groups.size() == 1);
    CHECK(nic.vf_groups[0].functions.size() == 8);
    CHECK(nic.vf_groups[0].functions[7].bus_id == "0000:09:01.0");
    CHECK_FALSE(core::DeviceInventory::refusal(view));
}

TEST_CASE("machine views: a switch is told by its NUMA node", "[core][machine_views]") {
    DeviceGroup gpu = group("gpu", 4);
    gpu.numa = {0, 0, 1, 1};
    gpu.pcie = {0, 1, 0, 2};
    DeviceGroup rdma = group("rdma", 3);
    rdma.pcie = {0, 1, 7};
    const auto places = core::device_places({gpu, rdma});
    const auto ids = [&](std::size_t g) {
        std::vector<std::string> out;
        for (const core::DevicePlace& place : places[g]) {
            out.push_back(place.pcie.value_or("none"));
        }
        return out;
    };
    CHECK(ids(0) == std::vector<std::string>{"0-0", "0-1", "1-0", "1-2"});
    // It is unknown which of the two switches 0 is meant; there is only one switch 1.
    CHECK(ids(1) == std::vector<std::string>{"x-0", "0-1", "x-7"});
    CHECK(core::pcie_number("1-2") == 2);
    CHECK(core::pcie_number("12") == 12);
    CHECK_FALSE(core::pcie_number("a-2"));
    CHECK_FALSE(core::pcie_number("-2"));
}

TEST_CASE("machine views: the tree of providers", "[core][machine_views]") {
    const std::vector<ProviderNode> tree = core::provider_view(hgx(), schema(), "s0");
    CHECK(tree.size() == 1 + 2 + 4 + 8 + 4);
    CHECK(tree[0] == ProviderNode{"s0", std::nullopt, {{"MEMORY_MB", 2 << 20}, {"VCPU", 192}}, {}});
    const auto named = [&](std::string_view name) {
        const auto found = std::ranges::find(tree, name, &ProviderNode::name);
        REQUIRE(found != tree.end());
        return *found;
    };
    const ProviderNode gpu = named("s0_numa1_pcie2_gpu_5");
    CHECK(gpu.inventory == std::map<std::string, core::Amount>{{"PGPU", 1}});
    CHECK(gpu.traits == std::vector<std::string>{"CUSTOM_GPU_H100", "CUSTOM_NVLINK_1"});
    CHECK(tree[*gpu.parent].traits == std::vector<std::string>{"CUSTOM_PCIE_SWITCH"});
    CHECK(tree[*tree[*gpu.parent].parent] == named("s0_numa1"));
    CHECK(named("s0_numa1").traits == std::vector<std::string>{"HW_NUMA_ROOT"});
    CHECK(named("s0_numa0_pcie1_rdma_1").inventory ==
          std::map<std::string, core::Amount>{{"SRIOV_NET_VF", 8}});
    for (std::size_t i = 1; i < tree.size(); ++i) {
        CHECK(*tree[i].parent < i);
    }
    // A device without a place is a child of the server.
    const auto plain = core::provider_view(machine({group("my-nic", 1)}), schema(), "s");
    CHECK(plain[1] == ProviderNode{"s_my-nic_0", 0, {{"CUSTOM_MY_NIC", 1}}, {}});
}

TEST_CASE("machine views: each view leads back to the machine", "[core][machine_views]") {
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(0, 300)));
    CAPTURE(seed);
    std::mt19937_64 bits(seed);
    const MachineType type = seed == 0 ? hgx() : random_machine(bits);
    check_same(
        tests::devices_of_group_keys(core::group_key_view(type)), type.devices, as_group_keys_keep);
    check_same(
        core::devices_of_device_object(core::device_object_view(type)), type.devices, keep_all);
    check_same(tests::devices_of_providers(core::provider_view(type, schema(), "server_1")),
               type.devices,
               as_providers_keep);
}
