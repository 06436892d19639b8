#include <catch2/catch.hpp>
#include <string>

#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string topology = R"(kind: Topology
metadata: {name: two}
spec:
  levels: [{name: server, count: 2}]
  machines: [{type: hgx}]
  machineTypes:
    hgx:
      capacity: {cpu: 64}
      devices:
        gpu: {count: 4, numa: [0, 0, 1, 1], pcie: [0, 0, 1, 1]}
        rdma: {count: 2, numa: [0, 1], pcie: [0, 1], vfs: 2}
)";

const std::string experiment = R"(kind: Experiment
metadata: {name: pods}
spec:
  topology: {file: two.yaml}
  types:
    one: {cpu: 1, nvidia.com/gpu: 1}
    two: {cpu: 1, nvidia.com/gpu: 2, koordinator.sh/rdma: 100}
  workload:
    - pods:
        - {name: a, type: one, count: 2, at: 0s, lifetime: 1m}
        - {name: b, type: two, at: 1s, lifetime: 1m}
        - {name: c, type: two, at: 2s, lifetime: 1m}
  scheduler: {profile: {reserve: [device-allocator]}}
)";

std::string with_devices(const std::string& file) {
    return replaced(experiment, "  types:", "  devices: [{file: " + file + "}]\n  types:");
}

}  // namespace

TEST_CASE("device objects: a run is the same with the objects that describe its machines",
          "[cli][devices]") {
    const Folder folder;
    folder.write("two.yaml", topology);
    folder.write("plain.yaml", experiment);
    folder.write("objects.yaml", with_devices("devices.yaml"));
    (void)done(folder, {"topology", "two.yaml", "--format", "device", "-o", "devices.yaml"});
    (void)done(folder, {"run", "plain.yaml", "-o", "plain", "--quiet"});
    (void)done(folder, {"run", "objects.yaml", "-o", "objects", "--quiet"});
    CHECK(folder.read("plain/pods.csv") == folder.read("objects/pods.csv"));
    // The resolved experiment contains the objects.
    (void)done(folder, {"run", "objects/experiment.yaml", "-o", "again", "--quiet"});
    CHECK(folder.read("objects/manifest.json") == folder.read("again/manifest.json"));
}

TEST_CASE("device objects: an unhealthy GPU is given to nobody", "[cli][devices]") {
    const Folder folder;
    folder.write("two.yaml", topology);
    folder.write("objects.yaml", with_devices("devices.yaml"));
    (void)done(folder, {"topology", "two.yaml", "--format", "device", "-o", "devices.yaml"});
    folder.write("devices.yaml",
                 replaced(folder.read("devices.yaml"), "health: true", "health: false"));
    (void)done(folder, {"run", "objects.yaml", "-o", "run", "--quiet"});
    CHECK(folder.read("run/pods.csv").find("a-0,,,0,0,0,60,0,60,1,server-0,1,") !=
          std::string::npos);
}

TEST_CASE("device objects: one for no server, or a second one, is refused", "[cli][devices]") {
    const Folder folder;
    folder.write("two.yaml", topology);
    (void)done(folder, {"topology", "two.yaml", "--format", "device", "-o", "devices.yaml"});
    const std::string objects = folder.read("devices.yaml");
    folder.write("stranger.yaml", replaced(objects, "server-1", "server-9"));
    folder.write("twice.yaml", objects);
    folder.write("a.yaml", with_devices("stranger.yaml"));
    folder.write(
        "b.yaml",
        replaced(
            with_devices("devices.yaml"), "devices.yaml}]", "devices.yaml}, {file: twice.yaml}]"));
    folder.write("c.yaml", with_devices("two.yaml"));
    const Answer stranger = folder.berth({"run", "a.yaml"});
    CHECK(stranger.status == 2);
    CHECK(stranger.first_line().find(
              "error: no server 'server-9': expected one of the topology's") != std::string::npos);
    const Answer twice = folder.berth({"run", "b.yaml"});
    CHECK(twice.status == 2);
    CHECK(twice.first_line().find("error: a second Device of 'server-0': expected one") !=
          std::string::npos);
    const Answer none = folder.berth({"run", "c.yaml"});
    CHECK(none.status == 2);
    CHECK(none.first_line().find("found no device: expected kind: Device") != std::string::npos);
}
