// The ready experiments with backfill inside of servers run, and backfill pays off.

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/csv_rows.hpp"
#include "tests/cli/folder.hpp"

using namespace berth::tests;

namespace {

/// Start times in seconds by pod; "" for a pod that did not start.
std::map<std::string, std::string> starts(const std::string& spec) {
    const Folder folder;
    folder.write("x.yaml", "kind: Experiment\nmetadata: {name: x}\n" + spec);
    (void)done(folder, {"run", "x.yaml", "--quiet", "-o", "out"});
    std::map<std::string, std::string> out;
    for (const CsvRow& row : csv_rows(folder.read("out/pods.csv"))) {
        out[row.at("pod")] = row.at("start_s");
    }
    return out;
}

}  // namespace

TEST_CASE("backfill: jobs overtake on shared GPUs, devices and candidates", "[cli]") {
    const std::string experiment = GENERATE("fgd", "devices", "providers");
    CAPTURE(experiment);
    const Folder folder;
    const auto mean_wait = [&](const std::string& queue) {
        (void)done(folder,
                   {"run",
                    project_file("experiments/" + experiment + "/backfill.yaml"),
                    "--quiet",
                    "--set",
                    "spec.replications=1",
                    "--set",
                    "spec.scheduler.profile.queueSort=" + queue,
                    "-o",
                    queue});
        return nlohmann::json::parse(folder.read(queue + "/summary.json"))
            .at("metrics")
            .at("job_wait_s_mean")
            .at("mean")
            .get<double>();
    };
    const double strict = mean_wait("fcfs");
    CHECK(mean_wait("easy-backfill") < 0.5 * strict);
    CHECK(mean_wait("conservative-backfill") < 0.5 * strict);
}

TEST_CASE("backfill: a server that came back has what is in use on it", "[cli]") {
    const auto found = starts(R"(spec:
  topology:
    spec:
      levels: [{name: rack, count: 1}, {name: host, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, memory: 64Gi}, numa: 2}}
  types:
    d: {candidates: "resources_C=VCPU:2,MEMORY_MB:1024"}
    e: {candidates: "resources_C=VCPU:1,MEMORY_MB:1024"}
  workload:
    - background: {csv: "server,cpu,memory\nhost-0,3,1Gi\n"}
    - pods:
      - {name: x, type: e, at: 20s, lifetime: 100s}
      - {name: y, type: d, count: 6, at: 50s, lifetime: 100s}
  failures: {events: [{at: 10s, node: host-0, event: fail}, {at: 40s, node: host-0, event: repair}]}
  scheduler:
    profile:
      queueSort: conservative-backfill
      filter: [{name: allocation-candidates, choice: first}]
)");
    CHECK(found.at("y-0") == "50");
}

TEST_CASE("backfill: what members take together of what servers share is promised together",
          "[cli]") {
    // x runs for longer than expected, and the pool has room for one of two members.
    const auto found = starts(R"(spec:
  topology:
    spec:
      levels: [{name: rack, count: 1}, {name: host, count: 3}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, memory: 64Gi}, numa: 2}}
      sharedProviders: [{name: pool, level: rack, inventories: {DISK_GB: {total: 1200}}}]
  types:
    d: {candidates: "resources=DISK_GB:600&resources_C=VCPU:2,MEMORY_MB:1024"}
    big: {candidates: "resources=DISK_GB:600&resources_C=VCPU:2,MEMORY_MB:1024"}
  workload:
    - pods:
      - {name: x, type: d, at: 0s, lifetime: 100s, estimate: 10s}
      - {name: y, type: d, at: 0s, lifetime: 10s, estimate: 10s}
    - groups:
      - at: 1s
        lifetime: 20s
        document:
          kind: GroupPlacement
          spec:
            group: {name: g, size: 2, type: big}
            constraints: [{level: host, affinity: spread, soft: false}]
  scheduler:
    profile:
      queueSort: conservative-backfill
      filter: [{name: allocation-candidates, choice: first}]
)");
    CHECK(found.at("g-0") == "100");
}

TEST_CASE("backfill: a place that was promised is in use still, and one beside it is free",
          "[cli]") {
    // b stays on the first NUMA node for longer than expected, where c has a promise. The second
    // node has room for d, although more CPUs of the whole server are promised than it has.
    const auto found = starts(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 4, memory: 64Gi}, numa: 2}}
      sharedProviders: [{name: pool, inventories: {VCPU: {total: 4, max_unit: 1}}}]
  types:
    two: {candidates: "resources=VCPU:2,MEMORY_MB:1024"}
    other: {candidates: "resources_C=VCPU:2,MEMORY_MB:1025"}
  workload:
    - pods:
      - {name: b, type: two, at: 0s, lifetime: 100s, estimate: 10s}
      - {name: a, type: two, at: 0s, lifetime: 15s, estimate: 50s}
      - {name: c, type: other, at: 1s, lifetime: 100s}
      - {name: d, type: two, at: 2s, lifetime: 1s}
  scheduler:
    profile:
      queueSort: {name: conservative-backfill, order: shortest-job}
      filter: [{name: allocation-candidates, choice: first}]
)");
    CHECK(found.at("d") == "15");
    CHECK(found.at("c") == "16");
}

TEST_CASE("backfill: a place whose quota no longer lets the job in is for the next", "[cli]") {
    const auto found = starts(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 4}]
      machines:
        - {type: big, at: {host: host-0}}
        - {type: m, at: {host: 1}}
        - {type: m, at: {host: 2}}
        - {type: m, at: {host: 3}}
      machineTypes: {big: {capacity: {cpu: 10}}, m: {capacity: {cpu: 9}}}
  types: {t: {cpu: 10}}
  quotas:
    - objects:
      - {kind: ElasticQuota, metadata: {name: qx}, spec: {min: {cpu: 0}, max: {cpu: 10}}}
      - {kind: ElasticQuota, metadata: {name: q1}, spec: {min: {cpu: 0}, max: {cpu: 10}}}
      - {kind: ElasticQuota, metadata: {name: q2}, spec: {min: {cpu: 0}, max: {cpu: 10}}}
  quotaChanges:
    - {at: 30s, update: {name: q1, max: {cpu: 5}}}
  workload:
    - pods:
      - {name: x, type: t, at: 0s, lifetime: 50s, quota: qx}
      - {name: a, type: t, at: 1s, lifetime: 4000s, quota: q1}
      - {name: b, type: t, at: 2s, lifetime: 40s, quota: q2}
  scheduler: {profile: {queueSort: conservative-backfill}}
)");
    CHECK(found.at("a").empty());
    CHECK(found.at("b") == "50");
}

TEST_CASE("backfill: the first that waits may preempt, also where all have a promise", "[cli]") {
    const auto found = starts(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 10}}}
  types: {t: {cpu: 10}}
  quotas:
    - objects:
      - {kind: ElasticQuota, metadata: {name: q}, spec: {min: {cpu: 10}, max: {cpu: 10}}}
  workload:
    - pods:
      - {name: low, type: t, at: 0s, lifetime: 50s, quota: q, priority: 0}
      - {name: high, type: t, at: 1s, lifetime: 40s, quota: q, priority: 9}
  scheduler: {profile: {queueSort: conservative-backfill, postFilter: [in-quota-preemption]}}
)");
    CHECK(found.at("high") == "1");
}

TEST_CASE("backfill: who had no server, and then no quota, has its turn when it has both",
          "[cli]") {
    // Only server-1 is large enough for the pods. It is away from 19 s to 34 s; then the group
    // holds everything that its quota gives, until 52 s.
    const Folder folder;
    folder.write("held-back.yaml", R"(kind: Experiment
metadata: {name: held-back}
spec:
  topology:
    document:
      kind: Topology
      spec:
        levels: [root, server]
        machineTypes: {m0: {capacity: {cpu: 4}}, m1: {capacity: {cpu: 1}}}
        nodes:
          - {name: root}
          - {name: server-0, parent: root, type: m1}
          - {name: server-1, parent: root, type: m0}
          - {name: server-2, parent: root, type: m1}
  types: {t0: {cpu: 1}, t1: {cpu: 2}}
  quotas:
    - objects:
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: q}
          spec: {min: {cpu: 3}, max: {cpu: 7}}
  workload:
    - groups:
        - {at: 6s, lifetime: 33s, quota: q, document: {kind: GroupPlacement, spec: {
            group: {name: g, size: 2, type: t0}}}}
    - pods:
        - {name: first, type: t1, at: 8s, lifetime: 1s, quota: q}
        - {name: second, type: t1, at: 30s, lifetime: 60s, quota: q}
  scheduler:
    profile:
      queueSort: {name: conservative-backfill, order: fifo}
      score: [{name: first-fit, weight: 1}]
      placementGroup: {solver: exact}
      preFilter: [{name: elastic-quota, limit: min}]
  failures:
    events: [{at: 19s, node: server-1, event: fail}, {at: 34s, node: server-1, event: repair}]
)");
    for (const std::string queue :
         {"fifo", "easy-backfill", "conservative-backfill", "replanned-backfill"}) {
        CAPTURE(queue);
        const std::string set = "spec.scheduler.profile.queueSort=" + queue;
        CHECK(folder.berth({"run", "held-back.yaml", "-q", "-o", queue, "--set", set}).status == 0);
        const std::vector<CsvRow> pods = csv_rows(folder.read(queue + "/pods.csv"));
        REQUIRE(pods.size() == 4);
        CHECK(pods[2].at("start_s") == "52");
        CHECK(pods[3].at("start_s") == "53");
    }
}
