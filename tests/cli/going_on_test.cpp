#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// A group on three of four servers, two of which are enough. One of its servers fails at 10 s, for
/// longer than the run.
const std::string gang_of_three = R"(kind: Experiment
metadata: {name: group}
spec:
  topology:
    spec:
      levels: [{name: server, count: 4}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 4, checkpoint: {every: 6s, takes: 0s, restart: 1s}}}
  workload:
    - groups:
        - {at: 0s, lifetime: 100s, document: {kind: GroupPlacement, spec: {
           group: {name: g, size: 3, minAvailable: 2, type: one}}}}
  failures: {events: [{at: 10s, node: server-1, event: fail}]}
  until: 200s
)";

/// The places and finish times of the pods under this rule.
std::string pods_of(const Folder& folder, const std::string& rule) {
    const Answer answer = folder.berth(
        {"run", "group.yaml", "-q", "--set", "spec.scheduler.onFailure=" + rule, "-o", rule});
    CHECK(answer.status == 0);
    std::string told;
    for (const CsvRow& pod : csv_rows(folder.read(rule + "/pods.csv"))) {
        told += pod.at("node") + " " + pod.at("finish_s") + " " + pod.at("outcome") + "; ";
    }
    return told;
}

}  // namespace

TEST_CASE("going on: a group does with who is left, or with others", "[cli]") {
    const Folder folder;
    folder.write("group.yaml", gang_of_three);
    // 6 s of work are saved, and 1 s passes until the group works again.
    CHECK(pods_of(folder, "shrink") == "server-0 105 finished; server-2 105 finished;   dropped; ");
    CHECK(pods_of(folder, "replace") ==
          "server-0 105 finished; server-2 105 finished; server-3 105 finished; ");
    // A fourth server is free anyway.
    CHECK(pods_of(folder, "requeue") == pods_of(folder, "replace"));
}

TEST_CASE("going on: another rule is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("group.yaml", gang_of_three);
    const Answer answer =
        folder.berth({"run", "group.yaml", "--set", "spec.scheduler.onFailure=swap"});
    CHECK(answer.status == 2);
    CHECK(
        answer.err.find("unknown name 'swap': expected requeue-last, requeue, shrink or replace") !=
        std::string::npos);
}

TEST_CASE("going on: a quota must admit who replaces others", "[cli]") {
    // There are five servers, and four from 10 s on. Once the other quota asks for more, at 5 s,
    // each quota has half of them: room for two members.
    const Folder folder;
    const std::string quotas = R"(  quotas:
    - objects:
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: lent-to}
          spec: {min: {cpu: 8}, max: {cpu: 16}}
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: lends}
          spec: {min: {cpu: 8}, max: {cpu: 16}}
)";
    std::string document = gang_of_three;
    document.replace(document.find("  workload:"), 0, quotas);
    document.replace(document.find("lifetime"), 0, "quota: lent-to, ");
    document.replace(
        document.find("  failures:"),
        0,
        R"(        - {at: 5s, lifetime: 10s, quota: lends, document: {kind: GroupPlacement, spec: {
           group: {name: other, size: 3, type: one}}}}
)");
    document.replace(document.find("count: 4"), 8, "count: 5");
    folder.write("group.yaml", document);
    CHECK(pods_of(folder, "replace") ==
          "server-0 105 finished; server-2 105 finished;   dropped; "
          "server-0 115 finished; server-2 115 finished; server-3 115 finished; ");
}

TEST_CASE("going on: who replaces others gets devices as beside those that are left", "[cli]") {
    // The fifth share is placed beside another one, so that no whole gang of GPUs is broken up.
    // What the policy sees in other racks depends on their shares.
    const Folder folder;
    folder.write("shares.yaml", R"(kind: Experiment
metadata: {name: shares}
spec:
  topology:
    spec:
      levels: [{name: room, count: 3}, {name: rack, count: [1, 2, 2]}, {name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 120, nvidia.com/gpu: 7}}}
  types: {share: {cpu: 0, nvidia.com/gpu: 300m}}
  workload:
    - groups:
        - {at: 0s, lifetime: 100s, document: {kind: GroupPlacement, spec: {
           group: {name: g, size: 5, type: share},
           constraints: [{level: room, affinity: spread, soft: true},
             {level: rack, affinity: spread, soft: true}]}}}
  scheduler:
    profile:
      score: [{name: topology-aware-fragmentation, gangs: {3: 1, 10: 1, 18: 1}}]
      reserve: [gpu-sharing]
      placementGroup: {solver: exact}
    onFailure: replace
    typicalPods: {}
  failures: {events: [{at: 10s, node: server-0, event: fail}]}
  until: 50s
)");
    CHECK(folder.berth({"run", "shares.yaml", "-q", "-o", "o"}).status == 0);
    const std::vector<CsvRow> pods = csv_rows(folder.read("o/pods.csv"));
    REQUIRE(pods.size() == 5);
    for (const CsvRow& pod : pods) {
        CHECK(pod.at("start_s") == "10");
        CHECK(pod.at("devices") == "0");
    }
    CHECK(pods[1].at("node") == "server-1");
}
