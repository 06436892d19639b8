#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "parsed.hpp"
#include "topologies/read_topology.hpp"

namespace core = berth::core;

namespace {

struct Row {
    std::string what;
    std::string instead_of;  ///< The part of the sound spec below that is replaced.
    std::string put;         ///< The text that replaces it.
    std::string place;       ///< The line and column that are reported.
    std::string message;     ///< The message that is reported.
};

const std::string sound = R"(kind: Topology
spec:
  levels:
    - {name: rack, count: 2}
    - {name: server, count: 3}
  machines:
    - {type: small}
  machineTypes:
    small:
      capacity: {cpu: 4, memory: 8Gi}
      devices:
        gpu: {count: 2, memory: 80Gi, numa: [0, 1]}
)";

const std::vector<Row> rows{
    {"unknown key of the spec",
     "machines:",
     "machine:",
     "6:3",
     "unknown key 'machine' in a Topology's spec: expected levels, machines, machineTypes or "
     "sharedProviders (did you mean 'machines'?)"},
    {"unknown key of a level",
     "{name: rack, count: 2}",
     "{name: rack, count: 2, size: 1}",
     "4:30",
     "unknown key 'size' in a level: expected name or count"},
    {"unknown key of an entry of machines",
     "{type: small}",
     "{type: small, wieght: 2}",
     "7:21",
     "unknown key 'wieght' in an entry of machines: expected type, weight or at (did you mean "
     "'weight'?)"},
    {"unknown key of a machine type",
     "      devices:",
     "      device:",
     "11:7",
     "unknown key 'device' in machine type 'small': expected capacity, devices, numa, traits or "
     "labels (did you mean 'devices'?)"},
    {"labels of a machine type",
     "      capacity: {cpu: 4, memory: 8Gi}",
     "      labels: [spot]\n      capacity: {cpu: 4, memory: 8Gi}",
     "10:15",
     "found a list: expected a map from labels to their values"},
    {"unknown key of devices",
     "numa: [0, 1]",
     "nuna: [0, 1]",
     "12:39",
     "unknown key 'nuna' in devices 'gpu': expected count, model, memory, vfs, numa, pcie, nvlink "
     "or "
     "traits (did you mean 'numa'?)"},
    {"negative count",
     "count: 3}",
     "count: -3}",
     "5:29",
     "found '-3': expected a whole number from 1 to 2147483648"},
    {"fractional count",
     "count: 3}",
     "count: 1.5}",
     "5:29",
     "found '1.5': expected a whole number from 1 to 2147483648"},
    {"zero count",
     "count: 3}",
     "count: 0}",
     "5:29",
     "found '0': expected a whole number from 1 to 2147483648"},
    {"zero in a list of counts",
     "count: 3}",
     "count: [3, 0]}",
     "5:33",
     "found '0': expected a whole number from 1 to 2147483648"},
    {"a list of counts of the wrong length",
     "count: 3}",
     "count: [3, 4, 5]}",
     "5:29",
     "found 3 counts: expected 2, one for each rack"},
    {"too many nodes",
     "count: 3}",
     "count: 1073741823}",
     "5:29",
     "found 2147483649 nodes down to level 'server': expected at most 2147483648"},
    {"more nodes than anybody has",
     "count: 3}",
     "count: 1000000000}",
     "5:29",
     "found 2000000003 nodes down to level 'server', which would take about 186 GiB: expected at "
     "most 50000000"},
    {"duplicate level",
     "name: server",
     "name: rack",
     "5:14",
     "level 'rack' occurs twice: expected distinct names"},
    {"a level named as the root",
     "name: rack",
     "name: cluster",
     "4:14",
     "level 'cluster' occurs twice: expected distinct names"},
    {"a level without name",
     "{name: rack, count: 2}",
     "{count: 2}",
     "4:7",
     "a level has no 'name': expected one"},
    {"a level without count",
     "{name: rack, count: 2}",
     "{name: rack}",
     "4:7",
     "a level has no 'count': expected one"},
    {"no levels",
     "levels:\n    - {name: rack, count: 2}\n    - {name: server, count: 3}",
     "levels: []",
     "3:11",
     "found an empty list: expected a list of levels, the last one the server, such as [{name: "
     "rack, "
     "count: 6}, {name: server, count: 8}]"},
    {"unknown machine type",
     "type: small",
     "type: smal",
     "7:14",
     "unknown machine type 'smal': expected one of machineTypes (did you mean 'small'?)"},
    {"no machine for a server",
     "{type: small}",
     "{type: small, at: {rack: 1}}",
     "7:5",
     "server-0 has no machine type: expected an entry of machines without 'at'"},
    {"weight zero",
     "{type: small}",
     "{type: small, weight: 0}",
     "7:29",
     "found '0': expected a number above 0, at most 1000000, with at most six decimals"},
    {"negative weight",
     "{type: small}",
     "{type: small, weight: -1}",
     "7:29",
     "found '-1': expected a number above 0, at most 1000000, with at most six decimals"},
    {"at an unknown level",
     "{type: small}",
     "{type: small, at: {rak: 1}}",
     "7:26",
     "unknown level 'rak': expected cluster, rack or server (did you mean 'rack'?)"},
    {"at an unknown index",
     "{type: small}",
     "{type: small, at: {rack: 2}}",
     "7:32",
     "unknown rack '2': expected 0 to 1, or rack-0 to rack-1"},
    {"at an unknown name",
     "{type: small}",
     "{type: small, at: {rack: rack-9}}",
     "7:32",
     "unknown rack 'rack-9': expected 0 to 1, or rack-0 to rack-1"},
    {"at two levels",
     "{type: small}",
     "{type: small, at: {rack: 1, server: 2}}",
     "7:25",
     "found a map: expected one level and a node of it, as in {rack: 3}"},
    {"negative capacity", "cpu: 4", "cpu: -4", "10:23", "found '-4': expected no negative amount"},
    {"capacity too large",
     "8Gi",
     "8Ei",
     "10:34",
     "found '8Ei': expected at most 9223372036854775807 bytes"},
    {"capacity not whole",
     "8Gi",
     "500m",
     "10:34",
     "found '500m': expected a whole number of bytes"},
    {"capacity no quantity",
     "8Gi",
     "8GB",
     "10:34",
     "found '8GB': expected a Kubernetes quantity such as 500m, 16 or 256Gi (did you mean 8G or "
     "8Gi?)"},
    {"device memory no quantity",
     "80Gi",
     "-80Gi",
     "12:33",
     "found '-80Gi': expected no negative amount"},
    {"no devices of a kind",
     "count: 2, memory",
     "count: 0, memory",
     "12:22",
     "found '0': expected a whole number from 1 to 4096"},
    {"a device list too short",
     "numa: [0, 1]",
     "numa: [0]",
     "12:45",
     "found a list of 1: expected a list of 2 numbers, one a device"},
    {"an unknown device in an island",
     "numa: [0, 1]",
     "nvlink: [[0, 2]]",
     "12:52",
     "found '2': expected a whole number from 0 to 1"},
    {"a device in two islands",
     "numa: [0, 1]",
     "nvlink: [[0, 1], [1]]",
     "12:57",
     "found '1': expected each device in one island at most"},
    {"devices listed with gaps",
     "{count: 2, memory: 80Gi, numa: [0, 1]}",
     "[{numa: 0}, {}]",
     "12:14",
     "1 of 2 devices have 'numa': expected all or none"},
    {"devices listed that differ",
     "{count: 2, memory: 80Gi, numa: [0, 1]}",
     "[{model: A}, {model: B}]",
     "12:27",
     "devices 'gpu' differ: expected the model, memory and vfs of the first device"},
};

std::string replaced(std::string text, const std::string& part, const std::string& by) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), by);
}

}  // namespace

TEST_CASE("spec: each mistake is reported where it stands, with what was expected",
          "[topologies][spec]") {
    REQUIRE(berth::tests::read(sound).topology);
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const auto reading = berth::tests::read(replaced(sound, row.instead_of, row.put));
        const std::string expected = "test.yaml:" + row.place + ": error: " + row.message + "\n";
        CAPTURE(expected);
        CHECK_THAT(reading.errors + "\n", Catch::Contains(expected));
    }
}

TEST_CASE("spec: a missing section is named", "[topologies][spec]") {
    const std::string section = GENERATE("levels", "machines", "machineTypes");
    core::Value spec = *berth::tests::parsed(sound).find("spec");
    std::erase_if(spec.members, [&](const core::Member& member) { return member.key == section; });
    core::Diagnostics diagnostics;
    CHECK_FALSE(berth::topologies::read_topology_spec(spec, {}, diagnostics));
    CHECK_THROWS_WITH(diagnostics.throw_if_failed(),
                      Catch::StartsWith("test.yaml:3:3: error: a Topology's spec has no '" +
                                        section + "': expected one"));
}

TEST_CASE("spec: a machine type twice is an error even if the parser let it pass",
          "[topologies][spec]") {
    core::Value spec = *berth::tests::parsed(sound).find("spec");
    core::Value& types = *spec.find("machineTypes");
    types.members.push_back(types.members.front());
    core::Diagnostics diagnostics;
    CHECK_FALSE(berth::topologies::read_topology_spec(spec, {}, diagnostics));
    CHECK_THROWS_WITH(
        diagnostics.throw_if_failed(),
        Catch::StartsWith("test.yaml:9:5: error: machine type 'small' occurs twice: expected "
                          "distinct names"));
}

TEST_CASE("spec: many mistakes are reported together", "[topologies][spec]") {
    const auto reading = berth::tests::read(R"(kind: Topology
spec:
  levels: [{name: rack, count: 0}, {name: rack, count: [1, 2]}]
  machines: [{type: x}]
  machineTypes: {y: {capacity: {cpu: -1}}}
)");
    CHECK_THAT(reading.errors,
               Catch::Contains("5:38: error: found '-1'") &&
                   Catch::Contains("3:32: error: found '0'") &&
                   Catch::Contains("3:43: error: level 'rack' occurs twice") &&
                   !Catch::Contains("counts: expected"));
}

TEST_CASE("spec: at most sixteen levels with the root", "[topologies][spec]") {
    std::string levels;
    for (int level = 0; level < 16; ++level) {
        levels += "{name: l" + std::to_string(level) + ", count: 1}, ";
    }
    const std::string rest = "]\n  machines: [{type: a}]\n  machineTypes: {a: {}}\n";
    const auto reading = berth::tests::read("kind: Topology\nspec:\n  levels: [" + levels + rest);
    CHECK_THAT(reading.errors,
               Catch::StartsWith("test.yaml:3:11: error: found 16 levels: expected at most 15 "
                                 "below the cluster"));
}

TEST_CASE("read: a document that is no topology is refused", "[topologies]") {
    const auto [text, error] = GENERATE(table<std::string, std::string>({
        {"spec: {}",
         "1:1: error: the document has no 'kind': expected Topology, TopologyTree, "
         "Node, NodeList or List"},
        {"kind: Topologie\nspec: {}",
         "1:7: error: unknown kind 'Topologie' of topology: expected Topology, TopologyTree, Node, "
         "NodeList or List (did you mean 'Topology'?)"},
        {"kind: Topology", "1:1: error: a Topology has no 'spec': expected one"},
        {"apiVersion: berth/v2\nkind: Topology\nspec: {levels: []}",
         "1:13: error: found 'berth/v2': expected berth/v1"},
        {"kind: Topology\nspec: {}\nextra: 1",
         "3:1: error: unknown key 'extra' in a Topology: expected kind, metadata, apiVersion or "
         "spec"},
    }));
    CHECK_THAT(berth::tests::read(text).errors, Catch::Contains("test.yaml:" + error));
}
