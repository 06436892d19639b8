#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two racks, each with a host with NICs and a host without, which have two NUMA nodes each; and a
/// pool in each rack.
const std::string cloud = R"(kind: Topology
spec:
  levels: [{name: rack, count: 2}, {name: host, count: 2}]
  machines: [{type: plain}, {type: network}]
  machineTypes:
    plain: {capacity: {cpu: 8, memory: 8Gi, ephemeral-storage: 10Gi}, numa: 2}
    network:
      capacity: {cpu: 8, memory: 8Gi, ephemeral-storage: 10Gi}
      numa: 2
      devices:
        nic: {count: 2, vfs: 2, numa: [0, 1], traits: [CUSTOM_PHYSNET1, CUSTOM_PHYSNET2]}
  sharedProviders: [{name: pool, level: rack, inventories: {DISK_GB: 30}}]
)";

/// Pods that come one after the other.
const std::string few = R"(kind: Experiment
metadata: {name: few}
spec:
  topology: {file: cloud.yaml}
  types:
    plain: {cpu: 2, memory: 1Gi, ephemeral-storage: 8Gi}
    three: {candidates: "resources_C=VCPU:3,MEMORY_MB:1024"}
    router:
      candidates: >-
        resources_C=VCPU:1&
        resources_N=SRIOV_NET_VF:1&required_N=CUSTOM_PHYSNET2&
        required_R=HW_NUMA_ROOT&same_subtree=_R,_C,_N&group_policy=none
    huge: {candidates: "resources=DISK_GB:31"}
  workload:
    - pods:
        - {name: a, type: plain, at: 0s, lifetime: 1m}
        - {name: b, type: plain, at: 1s, lifetime: 1m}
        - {name: c, type: router, at: 2s, lifetime: 1m}
        - {name: d, type: three, count: 6, at: 3s, lifetime: 1m}
        - {name: e, type: huge, at: 4s, lifetime: 1m}
  scheduler: {retry: never, profile: {filter: [allocation-candidates], score: [first-fit]}}
  record: {sampleEvery: 30s}
)";

nlohmann::json metrics(const Folder& folder, const std::string& run) {
    return nlohmann::json::parse(folder.read(run + "/summary.json")).at("metrics");
}

}  // namespace

TEST_CASE("providers in a run: pods.csv names what each pod has of which provider", "[cli]") {
    const Folder folder;
    folder.write("cloud.yaml", cloud);
    folder.write("few.yaml", few);
    (void)done(folder, {"run", "few.yaml", "--quiet"});
    std::map<std::string, std::map<std::string, std::string>> pods;
    for (auto& row : csv_rows(folder.read("out/few/pods.csv"))) {
        pods[row.at("pod")] = row;
    }
    CHECK(pods["a"]["providers"] ==
          "host-0:DISK_GB=8 host-0_numa0:MEMORY_MB=1024 host-0_numa0:VCPU=2");
    // Two GiB are left on the host's own disk: the next pod gets its disk from the pool.
    CHECK(pods["b"]["providers"] ==
          "host-0_numa0:MEMORY_MB=1024 host-0_numa0:VCPU=2 pool_rack-0:DISK_GB=8");
    CHECK(pods["c"]["providers"] == "host-1_numa1:VCPU=1 host-1_numa1_nic_1:SRIOV_NET_VF=1");
    CHECK(pods["c"]["devices"].empty());
    CHECK(pods["d-0"]["node"] == "host-0");  // on its second NUMA node
    CHECK(pods["d-1"]["node"] == "host-1");
    CHECK(pods["d-2"]["node"] == "host-1");
    CHECK(pods["d-5"]["node"] == "host-3");
    CHECK(pods["e"]["outcome"] == "dropped");
    CHECK(pods["e"]["providers"].empty());
    CHECK(pods["e"]["reason"] == "0/4 nodes are available: 4 node(s) had no allocation candidate.");
}

TEST_CASE("providers in a run: what is refused, and what is shared", "[cli]") {
    const Folder folder;
    folder.write("cloud.yaml", cloud);
    folder.write("few.yaml", few);
    (void)done(folder, {"run", "few.yaml", "--quiet"});
    const nlohmann::json found = metrics(folder, "out/few");
    CHECK(found.at("pods_dropped").at("mean") == 1);
    CHECK(found.at("pods_without_candidate").at("mean") == 1);
    // Eight of 60 GiB for 60 of 63 seconds.
    CHECK(found.at("shared_DISK_GB_utilization").at("mean").get<double>() ==
          Approx(8.0 / 60 * 60 / 63));
    // The host's own disk is counted in the ledger.
    CHECK(found.at("ephemeral-storage_utilization").at("mean").get<double>() ==
          Approx(8.0 / 40 * 60 / 63));
    const auto samples = csv_rows(folder.read("out/few/timeseries.csv"));
    CHECK(samples.at(1).at("shared_DISK_GB_utilization") == "0.13333333333333333");
    // Without the filter, neither the column nor the metric exists.
    folder.write("sums.yaml",
                 replaced(replaced(few, "[allocation-candidates]", "[resources-fit]"),
                          few.substr(few.find("    three:"),
                                     few.find("  workload:") - few.find("    three:")),
                          "    three: {cpu: 3}\n    router: {cpu: 1}\n    huge: {cpu: 1}\n"));
    (void)done(folder, {"run", "sums.yaml", "--quiet", "-o", "sums"});
    CHECK_FALSE(csv_rows(folder.read("sums/pods.csv")).at(0).contains("providers"));
    CHECK_FALSE(metrics(folder, "sums").contains("pods_without_candidate"));
}

TEST_CASE("providers in a run: a small cloud of mixed machines, the same in any number of threads",
          "[cli]") {
    const Folder folder;
    folder.write(
        "mixed-vms-cloud.yaml",
        replaced(replaced(read_file(project_file("experiments/providers/mixed-vms-cloud.yaml")),
                          "count: 25",
                          "count: 2"),
                 "count: 40",
                 "count: 10"));
    folder.write("mixed.yaml",
                 replaced(replaced(read_file(project_file("experiments/providers/mixed-vms.yaml")),
                                   "count: 30000",
                                   "count: 1500"),
                          "mean: 1s",
                          "mean: 50s"));
    for (const char* threads : {"1", "4"}) {
        (void)done(folder, {"run", "mixed.yaml", "--quiet", "-j", threads, "-o", threads});
    }
    for (const char* file : {"pods.csv", "summary.json", "timeseries.csv", "manifest.json"}) {
        CHECK(folder.read(std::string("1/") + file) == folder.read(std::string("4/") + file));
    }
    (void)done(folder, {"run", "1/experiment.yaml", "--quiet", "-o", "again"});
    CHECK(folder.read("again/pods.csv") == folder.read("1/pods.csv"));
    const nlohmann::json found = metrics(folder, "1");
    CHECK(found.at("pods_without_candidate").at("min") > 0);
    CHECK(found.at("shared_DISK_GB_utilization").at("min") > 0);
    CHECK(found.at("success_rate").at("min") > 0.5);
}

TEST_CASE("providers in a run: a machine that is down, preemption, a group that grows", "[cli]") {
    const Folder folder;
    folder.write("cloud.yaml", cloud);
    folder.write("quotas.yaml", R"(apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: ElasticQuota
metadata: {name: team}
spec: {max: {cpu: 100}, min: {cpu: 100}}
)");
    folder.write("all.yaml", R"(kind: Experiment
metadata: {name: all}
spec:
  topology: {file: cloud.yaml}
  quotas: [{file: quotas.yaml}]
  types:
    disk: {candidates: "resources=DISK_GB:8,VCPU:1"}
    node: {candidates: "resources_C=VCPU:4"}
  workload:
    - background: {csv: "server,cpu\nhost-3,5500m\n"}
    - groups:
        - document: {kind: GroupPlacement, spec: {group: {name: g, size: 4, type: disk}}}
          lifetime: 3m
          quota: team
          resize: [{at: 30s, size: 9}, {at: 40s, size: 30}, {at: 50s, size: 2}]
    - pods:
        - {name: low, type: node, count: 6, at: 1m, lifetime: 1h, quota: team}
        - {name: high, type: node, count: 2, at: 2m, lifetime: 1h, quota: team, priority: 5}
  scheduler:
    profile:
      filter: [{name: allocation-candidates, choice: pack}]
      score: [first-fit]
      postFilter: [in-quota-preemption]
  failures: {events: [{at: 4m, node: host-0, event: fail}, {at: 5m, node: host-0, event: repair}]}
  until: 10m
)");
    (void)done(folder, {"run", "all.yaml", "--quiet"});
    const nlohmann::json found = metrics(folder, "out/all");
    CHECK(found.at("resizes_refused").at("mean") == 1);  // thirty are too many for the disks
    CHECK(found.at("pods_preempted").at("mean") > 0);
    CHECK(found.at("pods_node_failed").at("mean") > 0);
    for (const auto& row : csv_rows(folder.read("out/all/pods.csv"))) {
        const bool placed = !row.at("node").empty();
        CHECK(placed == !row.at("providers").empty());
    }
}

TEST_CASE("providers in a run: `berth validate` tells what can never start", "[cli]") {
    const Folder folder;
    folder.write("cloud.yaml", cloud);
    folder.write("few.yaml", few);
    const Answer answer = folder.berth({"validate", "few.yaml"});
    CHECK(answer.status == 0);
    CHECK(answer.first_line() ==
          "few.yaml:1:1: warning: e: no server has an allocation candidate for a pod: it can never "
          "start");
    CHECK(answer.err.find("warning: d") == std::string::npos);
}

TEST_CASE("providers of a topology are what `berth candidates` reads", "[cli]") {
    const Folder folder;
    folder.write("cloud.yaml", cloud);
    folder.write("few.yaml", few);
    const std::string query = "resources=VCPU:3,DISK_GB:12";
    (void)done(folder, {"topology", "cloud.yaml", "--format", "providers", "-o", "providers.json"});
    // Each of four hosts has two NUMA nodes, and the rack's pool.
    CHECK(done(folder, {"candidates", "providers.json", query, "--count"}) == "8\n");
    CHECK(done(folder, {"candidates", "--topology", "cloud.yaml", query, "--count"}) == "8\n");
    CHECK(done(folder, {"candidates", "--topology", "few.yaml", query, "--count"}) == "8\n");
}
