#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "parsed.hpp"
#include "topologies/writers.hpp"

namespace core = berth::core;
using berth::tests::dump;
using berth::tests::read;
using berth::tests::topology_of;

namespace {

const std::string sound = R"(kind: Topology
spec:
  levels: [{name: rack, count: 2}, {name: server, count: 1}]
  machines: [{type: host}]
  machineTypes:
    host:
      capacity: {cpu: 8, memory: 16Gi}
      numa: 2
      traits: [COMPUTE_VOLUME_MULTI_ATTACH]
      devices:
        nic: {count: 2, vfs: 8, numa: [0, 1],
          traits: [CUSTOM_PHYSNET1, [CUSTOM_PHYSNET2, CUSTOM_FAST]]}
        gpu: [{numa: 0, traits: CUSTOM_QUIET}, {numa: 1}]
  sharedProviders:
    - {name: pool, level: rack, inventories: {DISK_GB: 100}}
    - name: addresses
      inventories: {IPV4_ADDRESS: {total: 250, reserved: 10, max_unit: 4, allocation_ratio: 1.5}}
      traits: [CUSTOM_SITE]
)";

}  // namespace

TEST_CASE("providers: NUMA nodes, traits and what is shared", "[topologies][providers]") {
    const core::Topology tree = topology_of(sound);
    const core::MachineType& host = tree.machine_types()[0];
    using Names = std::vector<std::string>;
    CHECK(host.numa_nodes == 2);
    CHECK(host.traits == Names{"COMPUTE_VOLUME_MULTI_ATTACH"});
    CHECK(host.devices[0].traits ==
          std::vector<Names>{{"CUSTOM_PHYSNET1"}, {"CUSTOM_PHYSNET2", "CUSTOM_FAST"}});
    CHECK(host.devices[1].traits == std::vector<Names>{{"CUSTOM_QUIET"}, {}});
    CHECK(tree.shared_providers() ==
          std::vector<core::SharedProvider>{
              {"pool", core::Level{1}, {{"DISK_GB", {.total = 100}}}, {}},
              {"addresses",
               core::Level{0},
               {{"IPV4_ADDRESS",
                 {.total = 250, .reserved = 10, .max_unit = 4, .allocation_ratio = 1.5}}},
               {"CUSTOM_SITE"}}});
}

TEST_CASE("providers: what is written as JSON is read back", "[topologies][providers]") {
    const core::Topology tree = topology_of(sound);
    const core::Topology again = topology_of(dump(tree));
    CHECK(dump(again) == dump(tree));
    CHECK(again.shared_providers() == tree.shared_providers());
    CHECK(again.machine_types()[0].numa_nodes == 2);
    CHECK(again.machine_types()[0].traits == tree.machine_types()[0].traits);
    CHECK(again.machine_types()[0].devices == tree.machine_types()[0].devices);
}

TEST_CASE("providers: a list for `berth candidates`", "[topologies][providers]") {
    std::ostringstream out;
    berth::topologies::write_providers(out, topology_of(R"(kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes: {a: {capacity: {cpu: 2}, numa: 1}}
  sharedProviders: [{name: ss, inventories: {DISK_GB: {total: 9, step_size: 3}}}]
)"));
    const std::string uuid = "\"00000000-0000-4000-8000-00000000000";
    const std::string aggregate = "[\"ffffffff-0000-4000-a000-000000000000\"]";
    CHECK(out.str() ==
          "{\"providers\": [\n{\"uuid\": " + uuid + "0\", \"name\": \"server-0\", " +
              "\"parent_uuid\": null, \"inventories\": {}, \"traits\": [], \"aggregates\": " +
              aggregate + "},\n{\"uuid\": " + uuid + "1\", \"name\": \"server-0_numa0\", " +
              "\"parent_uuid\": " + uuid + "0\", \"inventories\": {\"VCPU\": {\"total\": 2}}, " +
              "\"traits\": [\"HW_NUMA_ROOT\"], \"aggregates\": []},\n" +
              "{\"uuid\": \"ffffffff-0000-4000-8000-000000000000\", \"name\": \"ss_cluster\", " +
              "\"parent_uuid\": null, \"inventories\": {\"DISK_GB\": {\"total\": 9, " +
              "\"step_size\": 3}}, \"traits\": [\"MISC_SHARES_VIA_AGGREGATE\"], " +
              "\"aggregates\": " + aggregate + "}\n]}\n");
}

TEST_CASE("providers: each mistake is reported where it is", "[topologies][providers]") {
    struct Row {
        std::string instead_of;
        std::string put;
        std::string message;
    };
    const Row row = GENERATE(
        Row{"numa: 2\n",
            "numa: 0\n",
            "8:13: error: found '0': expected a whole number from 1 to 1024"},
        Row{"numa: 2\n",
            "numa: 1\n",
            "8:13: error: devices 'nic' sit on NUMA node 1: expected more than 1 nodes"},
        Row{"[COMPUTE_VOLUME_MULTI_ATTACH]",
            "COMPUTE",
            "9:15: error: found 'COMPUTE': expected a list of traits"},
        Row{"[COMPUTE_VOLUME_MULTI_ATTACH]",
            "[lower]",
            "9:16: error: trait 'lower': expected 1 to 255 of A-Z, 0-9 and _"},
        Row{"[COMPUTE_VOLUME_MULTI_ATTACH]",
            "[MISC_SHARES_VIA_AGGREGATE]",
            "9:16: error: trait 'MISC_SHARES_VIA_AGGREGATE' follows from the topology: expected "
            "another"},
        Row{"[CUSTOM_PHYSNET1, ",
            "[CUSTOM_PHYSNET1, CUSTOM_A, ",
            "12:19: error: found a list: expected a list of 2 traits, or lists of traits, one a "
            "device"},
        Row{"CUSTOM_QUIET",
            "HW_NUMA_ROOT",
            "13:33: error: trait 'HW_NUMA_ROOT' follows from the topology: expected another"},
        Row{"sharedProviders:\n",
            "sharedProviders:\n    3:\n",
            "15:5: error: found a map: expected a list of at most 1000 shared providers"},
        Row{"name: pool, ", "", "15:7: error: a shared provider has no 'name': expected one"},
        Row{"name: addresses",
            "name: pool",
            "16:13: error: shared provider 'pool' occurs twice: expected distinct names"},
        Row{"level: rack",
            "level: server",
            "15:27: error: unknown level 'server': expected cluster or rack"},
        Row{"{DISK_GB: 100}",
            "{}",
            "15:46: error: found an empty map: expected inventories such as {DISK_GB: 20000, "
            "IPV4_ADDRESS: {total: 250}}"},
        Row{"DISK_GB: 100",
            "disk: 100",
            "15:47: error: resource class 'disk': expected 1 to 255 of A-Z, 0-9 and _"},
        Row{"DISK_GB: 100",
            "DISK_GB: -1",
            "15:56: error: found '-1': expected a whole number from 0 to 1152921504606846976"},
        Row{"total: 250, ", "", "17:35: error: an inventory has no 'total': expected one"},
        Row{"max_unit: 4",
            "max_units: 4",
            "17:62: error: unknown key 'max_units' in an inventory: expected total, reserved, "
            "min_unit, max_unit, step_size or allocation_ratio (did you mean 'max_unit'?)"},
        Row{"max_unit: 4",
            "step_size: 0",
            "17:73: error: found '0': expected a whole number from 1 to 1152921504606846976"});
    std::string text = sound;
    const std::size_t at = text.find(row.instead_of);
    REQUIRE(at != std::string::npos);
    text.replace(at, row.instead_of.size(), row.put);
    const auto reading = read(text);
    CAPTURE(row.put, reading.errors);
    CHECK(reading.errors.substr(0, reading.errors.find('\n')) == "test.yaml:" + row.message);
}

TEST_CASE("providers: names that are no standard ones are told of", "[topologies][providers]") {
    const auto reading = read(R"(kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes: {a: {traits: [COMPUTE_VOLUME_MULTI_ATACH]}}
  sharedProviders: [{name: ss, inventories: {DISC_GB: 9}}]
)");
    REQUIRE(reading.warnings.size() == 2);
    const auto first_line = [&](std::size_t i) {
        return reading.warnings[i].substr(0, reading.warnings[i].find('\n'));
    };
    CHECK(first_line(0) ==
          "test.yaml:5:31: warning: trait 'COMPUTE_VOLUME_MULTI_ATACH' is not a standard one: "
          "expected one of those, or CUSTOM_... (did you mean 'COMPUTE_VOLUME_MULTI_ATTACH'?)");
    CHECK(first_line(1) ==
          "test.yaml:6:46: warning: resource class 'DISC_GB' is not a standard one: expected one "
          "of those, or CUSTOM_... (did you mean 'DISK_GB'?)");
}
