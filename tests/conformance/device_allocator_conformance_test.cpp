// Compares `berth allocate` with `node.devices` with the answers of the published program.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/requests/allocate_devices.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using nlohmann::json;

json answer(const json& request) {
    return json::parse(berth::experiments::answer_line(request.dump(),
                                                       &berth::experiments::answer_device_request));
}

std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        const json vector = json::parse(line);
        INFO("vector " << vector.at("id"));
        const json got = answer(vector.at("input"));
        for (const auto& [key, expected] : vector.at("expected").items()) {
            INFO(key << " of " << got);
            REQUIRE(got.contains(key));
            REQUIRE(got.at(key) == expected);
        }
    }
    return count;
}

/// Eight GPUs and eight NICs: one of each on each of eight switches, with four switches on each
/// NUMA node.
json idle_machine() {
    json devices = json::array();
    for (const char* type : {"gpu", "rdma"}) {
        for (int minor = 0; minor < 8; ++minor) {
            const bool is_gpu = std::string(type) == "gpu";
            devices.push_back({{"type", type},
                               {"minor", minor},
                               {"uuid", std::string(type) + std::to_string(minor)},
                               {"numaNode", minor / 4},
                               {"pcieID", std::to_string(minor)},
                               {"resources",
                                is_gpu ? json{{"koordinator.sh/gpu-core", "100"},
                                              {"koordinator.sh/gpu-memory", "80Gi"},
                                              {"koordinator.sh/gpu-memory-ratio", "100"}}
                                       : json{{"koordinator.sh/rdma", "100"}}}});
        }
    }
    return {{"devices", devices}};
}

}  // namespace

TEST_CASE("devices: agrees with the committed vectors", "[conformance][devices]") {
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/device-allocator.jsonl");
    CHECK(check_all(in) >= 50);
}

TEST_CASE("devices: agrees with every vector, where they are at hand", "[conformance][devices]") {
    berth::tests::check_shared_vectors("device-allocator", 1'800, check_all);
}

TEST_CASE("devices: a request that is none is answered with what is wrong", "[conformance]") {
    struct Row {
        std::string what;
        std::string path;
        json value;
        std::string error;
    };
    const auto row = GENERATE(values<Row>({
        {"rules", "/rules", "strict", "expected documented or published"},
        {"solver", "/solver", "quick", "expected greedy or exact"},
        {"mode", "/options/mode", "plan", "expected schedule or allocate"},
        {"scorer", "/options/scorer", {{"type", "Best"}, {"resources", {}}}, "LeastAllocated"},
        {"scorer without weights",
         "/options/scorer",
         {{"type", "MostAllocated"}},
         "no 'resources'"},
        {"negative weight",
         "/options/scorer",
         {{"type", "MostAllocated"}, {"resources", {{"koordinator.sh/rdma", -1}}}},
         "weight of koordinator.sh/rdma is -1"},
        {"options", "/options", json::array(), "options is a list"},
        {"no requests", "/pod", json::object(), "pod has no 'requests'"},
        {"amount",
         "/pod/requests/koordinator.sh~1rdma",
         "many",
         "pod.requests.koordinator.sh/rdma is \"many\""},
        {"negative amount", "/pod/requests/koordinator.sh~1rdma", "-1", "not negative"},
        {"type of device", "/node/devices/0/type", "tpu", "expected gpu, rdma or fpga"},
        {"minor", "/node/devices/0/minor", -1, "node.devices[0].minor is -1"},
        {"a minor twice", "/node/devices/0/minor", 1, "gpu 1 is there twice"},
        {"devices", "/node/devices", 3, "node.devices is 3: expected a list"},
        {"resources", "/node/devices/0/resources", "all", "node.devices[0].resources is \"all\""},
        {"labels", "/node/devices/0/labels", {{"a", 1}}, "labels.a is 1: expected a text"},
        {"VFs", "/node/devices/0/vfGroups", {{{"vfs", 2}}}, "vfs is 2: expected a list"},
        {"a VF's minor",
         "/node/devices/0/vfGroups",
         {{{"vfs", {{{"minor", 2147483648}, {"busID", "0"}}}}}},
         "vfs.minor is 2147483648: expected at most 2147483647"},
        {"allocated", "/node/allocated", {{{"type", "gpu"}}}, "allocated has no 'minor'"},
        {"exclusive policy",
         "/node/allocated",
         {{{"type", "gpu"}, {"minor", 0}, {"exclusivePolicy", "NodeLevel"}}},
         "expected DeviceLevel or PCIeLevel"},
    }));
    CAPTURE(row.what);
    json request{{"node", idle_machine()},
                 {"pod", {{"requests", {{"koordinator.sh/rdma", "1"}}}}},
                 {"options", json::object()}};
    request[json::json_pointer(row.path)] = row.value;
    const json got = answer(request);
    REQUIRE(got.contains("error"));
    CHECK_THAT(got.at("error").get<std::string>(), Catch::Contains(row.error));
}

TEST_CASE("devices: a virtual function's minor may be any 32-bit number", "[conformance]") {
    for (const std::int64_t minor : {std::int64_t{INT32_MIN}, std::int64_t{-1}}) {
        json node{{"devices", json::array()}};
        node["devices"].push_back(
            {{"type", "rdma"},
             {"minor", 0},
             {"resources", {{"koordinator.sh/rdma", "100"}}},
             {"vfGroups", {{{"vfs", {{{"minor", minor}, {"busID", "0000:1f:00.2"}}}}}}}});
        const json got =
            answer({{"node", node}, {"pod", {{"requests", {{"koordinator.sh/rdma", "1"}}}}}});
        CAPTURE(got.dump());
        CHECK_FALSE(got.contains("error"));
    }
}

TEST_CASE("devices: more than 64 devices of a type are refused with a reason", "[conformance]") {
    json node{{"devices", json::array()}};
    for (int minor = 0; minor < 65; ++minor) {
        node["devices"].push_back({{"type", "rdma"}, {"minor", minor}});
    }
    const json got =
        answer({{"node", node}, {"pod", {{"requests", {{"koordinator.sh/rdma", 1}}}}}});
    CHECK(got.at("error") ==
          "node.devices: the machine has 65 devices of type rdma: expected at most 64");
}

TEST_CASE("devices: what an earlier pod has for itself is closed to the next", "[conformance]") {
    json request{{"node", idle_machine()}, {"pod", {{"requests", {{"koordinator.sh/rdma", "1"}}}}}};
    request["node"]["allocated"] = {{{"type", "rdma"},
                                     {"minor", 0},
                                     {"resources", {{"koordinator.sh/rdma", "1"}}},
                                     {"exclusivePolicy", "DeviceLevel"}}};
    CHECK(answer(request).at("allocations").at("rdma").at(0).at("minor") == 1);
    request["rules"] = "published";
    request["options"] = {{"scorer", nullptr}};
    CHECK(answer(request).at("allocations").at("rdma").at(0).at("minor") ==
          0);  // the program has no policies
}

TEST_CASE("devices: a pod that asks for none is skipped", "[conformance][devices]") {
    CHECK(answer({{"node", idle_machine()}, {"pod", {{"requests", {{"cpu", "4"}}}}}}) ==
          json{{"skip", true}});
}
