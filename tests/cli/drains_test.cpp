#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;
using Catch::Matchers::Contains;

namespace {

/// By hand: `long` is expected to run for 5 s and takes 60 s. It leaves server-0 for server-2 at 15
/// s, after its grace period. It leaves server-2 at 50 s, and waits until `short` leaves server-3
/// at 55 s. It leaves server-3 for server-0 at 60 s. Until then, `whole` would meet a window on
/// every server.
const std::string sound = R"(kind: Experiment
metadata: {name: upgrade}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {nvidia.com/gpu: 4}}}
  types: {one: {nvidia.com/gpu: 4}}
  workload:
    - pods:
        - {name: long, type: one, at: 0s, lifetime: 60s, estimate: 5s}
        - {name: short, type: one, at: 35s, lifetime: 20s}
        - {name: whole, type: one, at: 41s, lifetime: 100s}
  scheduler: {profile: {score: [first-fit]}}
  drains:
    - {level: rack, name: rack-0, at: 10s, for: 30s, grace: 5s}
    - {level: server, at: 50s, for: 10s, atOnce: 3}
)";

/// The run without its drains.
std::string without_drains() {
    return sound.substr(0, sound.find("  drains:"));
}

}  // namespace

TEST_CASE("drains are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"no list",
          sound.substr(sound.find("\n    - {level: rack, name")),
          " 10s\n",
          "16:11: error: found '10s': expected a list such as [{level: rack, name: rack-3, at: "
          "24h, for: 4h}]"},
         {"a level that is not there",
          "level: rack, name",
          "level: rak, name",
          "17:15: error: found 'rak': expected cluster, rack or server (did you mean 'rack'?)"},
         {"a node that is not there",
          "name: rack-0",
          "name: rack-7",
          "17:27: error: found 'rack-7': expected the name of a rack of the topology (did you mean "
          "'rack-0'?)"},
         {"no time", "at: 10s, for", "for", "17:7: error: a drain has no 'at': expected one"},
         {"a window in the past",
          "at: 10s",
          "at: -10s",
          "17:39: error: '-10s': the drain would have begun before the run: expected 0s or later"},
         {"a time without a unit",
          "at: 10s",
          "at: 10",
          "17:39: error: found '10': expected a duration with its unit, such as 10s or 10m"},
         {"no length", "for: 30s, ", "", "17:7: error: a drain has no 'for': expected one"},
         {"a window of no length",
          "for: 30s",
          "for: 0s",
          "17:49: error: found '0s': expected a duration above 0"},
         {"a grace beyond the window",
          "grace: 5s",
          "grace: 31s",
          "17:61: error: found '31s': expected at most the time that the drain is for"},
         {"a grace of nobody",
          "grace: 5s",
          "grace: 5s, evict: false",
          "17:61: error: grace has no effect with evict: false, since no pod is evicted: expected "
          "no grace, or evict: true"},
         {"no number",
          "atOnce: 3",
          "atOnce: 0",
          "18:50: error: found '0': expected a whole number from 1 to 4"},
         {"so many of one",
          "grace: 5s",
          "atOnce: 1",
          "17:62: error: atOnce cannot be used with name, since it says how many nodes of a level "
          "are drained at a time: expected one of them"},
         {"an unknown key",
          "grace: 5s",
          "graze: 5s",
          "17:54: error: unknown key 'graze' in a drain: expected level, name, atOnce, at, for, "
          "evict or grace (did you mean 'grace'?)"},
         {"windows that overlap",
          "at: 50s",
          "at: 39s",
          "18:7: error: the drain of server-0 from 39 s to 49 s overlaps drains[0], of rack-0 from "
          "10 s to 40 s: expected drains of a server one after another"},
         {"a window after all time",
          "for: 10s",
          "for: 106751d",
          "18:7: error: the drain ends more than 292 years after the run begins: expected an "
          "earlier end"}});
}

TEST_CASE("drains: of equal names a path says which is drained", "[cli][bad-input]") {
    const Folder folder;
    folder.write("tree.yaml", R"(kind: TopologyTree
metadata: {name: twice}
spec:
  resource-names: [cpu]
  level-names: [rack, server]
  tree: {level: {rack-0: {level: {node-0: {}, node-1: {}}}, rack-1: {level: {node-0: {}}}}}
  machineType: {capacity: {cpu: 4}}
)");
    const std::string experiment = R"(kind: Experiment
metadata: {name: twice}
spec:
  topology: {file: tree.yaml}
  workload: []
  drains: [{level: server, name: node-0, at: 1s, for: 1s}]
)";
    folder.write("e.yaml", experiment);
    CHECK(folder.berth({"run", "e.yaml"}).first_line() ==
          "e.yaml:6:34: error: found 'node-0': expected one of the 2 nodes of that name by its "
          "path, such as root/rack-0/node-0");
    folder.write("e.yaml", replaced(experiment, "name: node-0", "name: root/rack-1/node-0"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    CHECK(folder.read("out/drains.csv") ==
          "replication,time_s,component,level,until_s,emptied_s,jobs\n0,1,node-0,server,2,1,0\n");
}

TEST_CASE("drains: a run as it is by hand", "[cli]") {
    const Folder folder;
    folder.write("e.yaml", sound);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out", "--check-invariants"});
    CHECK(folder.read("out/drains.csv") ==
          "replication,time_s,component,level,until_s,emptied_s,jobs\n"
          "0,10,rack-0,rack,40,15,1\n"
          "0,50,server-0,server,60,50,0\n"
          "0,50,server-1,server,60,50,0\n"
          "0,50,server-2,server,60,50,1\n"
          "0,60,server-3,server,70,60,1\n");
    CHECK(folder.read("out/evictions.csv") ==
          "replication,time_s,pod,quota,cause,ran_s,lost_s,node\n"
          "0,15,long,,drained,15,15,server-0\n"
          "0,50,long,,drained,35,35,server-2\n"
          "0,60,long,,drained,5,5,server-3\n");
    const auto jobs = csv_rows(folder.read("out/jobs.csv"));
    CHECK(jobs.at(0).at("start_s") == "60");
    CHECK(jobs.at(0).at("finish_s") == "120");
    CHECK(jobs.at(0).at("drained") == "3");
    CHECK(jobs.at(1).at("start_s") == "35");
    CHECK(jobs.at(2).at("start_s") == "60");
    CHECK(csv_rows(folder.read("out/pods.csv")).at(0).at("drained") == "3");
    const auto metrics = nlohmann::json::parse(folder.read("out/summary.json")).at("metrics");
    CHECK(metrics.at("pods_drained").at("mean") == 3);
    CHECK(metrics.at("pods_node_failed").at("mean") == 0);
    // Two servers are away for 25 s, three for 10 s and one for 10 s, and server-0 is kept idle
    // until 15 s. From 41 s to 50 s, `whole` finds servers 0 and 1 idle, and asks for one.
    const auto uses = csv_rows(folder.read("out/gpu_time.csv"));
    double sum = 0;
    double drained = 0;
    for (const CsvRow& row : uses) {
        sum += std::stod(row.at("gpu_seconds"));
        drained += row.at("cause") == "drained" ? std::stod(row.at("gpu_seconds")) : 0;
    }
    CHECK(sum == Approx(16 * 160));
    CHECK(drained >= 4 * (30 + 25 + 3 * 10 + 10 + 9));
    CHECK(folder.berth({"verify", "out"}).status == 0);
}

TEST_CASE("drains: berth why says that a drain keeps a job from servers", "[cli][why]") {
    const Folder folder;
    folder.write("e.yaml", sound + "  until: 45s\n");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    const auto told = nlohmann::json::parse(done(folder, {"why", "out", "whole", "--json"}));
    CHECK(told.at("story").at(0).at("stage") == "drains");
    CHECK(told.at("story").at(0).at("first_reason") ==
          "0/4 nodes are available: 2 Insufficient nvidia.com/gpu, 2 node(s) would be drained "
          "before it ends.");
    const auto& changes = told.at("last_failure").at("changes");
    const auto run = std::ranges::find(
        changes, "run", [](const nlohmann::json& change) { return change.at("kind"); });
    REQUIRE(run != changes.end());
    CHECK(run->at("from") == "100");
    CHECK(run->at("to") == "9");
    CHECK_THAT(done(folder, {"why", "out", "whole"}),
               Contains("refuses it: it is drained before the job would end"));
    // With this lifetime it starts at once.
    folder.write("e.yaml", replaced(sound, "lifetime: 100s", "lifetime: 9s"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    CHECK(csv_rows(folder.read("out/jobs.csv")).at(2).at("start_s") == "41");
}

TEST_CASE("drains: a run without them has none of their files and columns", "[cli]") {
    const Folder folder;
    folder.write("e.yaml", without_drains());
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "drains.csv"));
    for (const char* file : {"jobs.csv", "pods.csv", "gpu_time.csv", "summary.json"}) {
        CHECK(folder.read(std::string("out/") + file).find("drain") == std::string::npos);
    }
}

TEST_CASE("drains: one that comes after the end of the run is warned of", "[cli]") {
    const Folder folder;
    folder.write("e.yaml", sound + "  until: 49s\n");
    const Answer answer = folder.berth({"validate", "e.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, Contains("e.yaml:18:7: warning: the run ends before this drain begins"));
    CHECK(answer.err.find("e.yaml:17") == std::string::npos);
}
