// Preemption if pods need more than amounts: what is freed has to be usable.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::set<std::string> preempted_in(const std::string& spec) {
    const Folder folder;
    folder.write("x.yaml", "kind: Experiment\nmetadata: {name: x}\n" + spec);
    (void)done(folder, {"run", "x.yaml", "--quiet", "--check-invariants", "-o", "out"});
    std::set<std::string> pods;
    for (const CsvRow& row : csv_rows(folder.read("out/evictions.csv"))) {
        CHECK(row.at("cause") == "preempted");
        pods.insert(row.at("pod"));
    }
    return pods;
}

}  // namespace

TEST_CASE("preemption: shares of one GPU make room for a whole one", "[cli]") {
    // When `top` comes, `dear` and `cheap` share GPU 0, `third` and `fourth` share GPU 1. By
    // amounts alone `third`, which is older than `cheap`, could stay; but then no GPU would be
    // whole.
    CHECK(preempted_in(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 64, nvidia.com/gpu: 2}, devices: {gpu: {count: 2}}}}
  types:
    half: {cpu: 1, nvidia.com/gpu: 500m}
    whole: {cpu: 1, nvidia.com/gpu: 1}
  quotas:
    - objects:
      - kind: ElasticQuota
        metadata: {name: q}
        spec: {min: {cpu: 64, nvidia.com/gpu: 2}, max: {cpu: 64, nvidia.com/gpu: 2}}
  workload:
    - pods:
      - {name: dear, type: half, quota: q, at: 0s, priority: 5, lifetime: 100s}
      - {name: brief, type: half, quota: q, at: 1s, priority: 5, lifetime: 3s}
      - {name: third, type: half, quota: q, at: 2s, priority: 2, lifetime: 100s}
      - {name: fourth, type: half, quota: q, at: 3s, priority: 2, lifetime: 100s}
      - {name: cheap, type: half, quota: q, at: 5s, priority: 2, lifetime: 100s}
      - {name: top, type: whole, quota: q, at: 10s, priority: 9, lifetime: 10s}
  scheduler:
    profile: {postFilter: [in-quota-preemption], reserve: [gpu-sharing], score: [first-fit]}
)") == std::set<std::string>{"third", "fourth"});
}

TEST_CASE("preemption: devices that are on one switch make room", "[cli]") {
    // Each of two switches has a GPU and a NIC. `top` needs both of one switch; when it comes, `x`
    // and `w` have those of one switch, `y` and `z` those of the other. By amounts alone, `y` and
    // `w` would have to go, which came last among those with a GPU and those with a NIC.
    CHECK(preempted_in(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: m}]
      machineTypes:
        m:
          capacity: {cpu: 64}
          devices: {gpu: {count: 2, pcie: [0, 1]}, rdma: {count: 2, pcie: [0, 1]}}
  types:
    gpu: {cpu: 1, nvidia.com/gpu: 1}
    nic: {cpu: 1, koordinator.sh/rdma: 100}
    both:
      cpu: 1
      nvidia.com/gpu: 1
      koordinator.sh/rdma: 100
      annotations:
        scheduling.koordinator.sh/device-joint-allocate: >-
          {"deviceTypes": ["gpu", "rdma"], "requiredScope": "SamePCIe"}
  quotas:
    - objects:
      - {kind: ElasticQuota, metadata: {name: q}, spec: {min: {cpu: 64}, max: {cpu: 64}}}
  workload:
    - pods:
      - {name: x, type: gpu, quota: q, at: 0s, priority: 2, lifetime: 100s}
      - {name: y, type: gpu, quota: q, at: 1s, priority: 2, lifetime: 100s}
      - {name: brief, type: nic, quota: q, at: 2s, priority: 2, lifetime: 2s}
      - {name: z, type: nic, quota: q, at: 3s, priority: 2, lifetime: 100s}
      - {name: w, type: nic, quota: q, at: 5s, priority: 2, lifetime: 100s}
      - {name: top, type: both, quota: q, at: 10s, priority: 9, lifetime: 10s}
  scheduler:
    profile: {postFilter: [in-quota-preemption], reserve: [device-allocator]}
)") == std::set<std::string>{"y", "z"});
}

TEST_CASE("preemption: what a group that shrinks gives back of what servers share", "[cli]") {
    // p needs the CPUs of v, the only ones of its quota, and a license; until 10 s, g has both
    // licenses.
    CHECK(preempted_in(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 2}}}
      sharedProviders: [{name: server, inventories: {CUSTOM_LICENSE: 2}}]
  types:
    v: {candidates: "resources=VCPU:2"}
    p: {candidates: "resources=VCPU:2,CUSTOM_LICENSE:1"}
    g: {candidates: "resources=VCPU:1,CUSTOM_LICENSE:1"}
  quotas:
    - objects:
      - {kind: ElasticQuota, metadata: {name: few}, spec: {min: {cpu: 2}, max: {cpu: 2}}}
      - {kind: ElasticQuota, metadata: {name: other}, spec: {min: {cpu: 2}, max: {cpu: 2}}}
  workload:
    - pods:
      - {name: v, type: v, at: 0s, lifetime: 100s, quota: few}
      - {name: p, type: p, at: 2s, lifetime: 5s, quota: few, priority: 1}
    - groups:
      - at: 1s
        lifetime: 100s
        quota: other
        resize: [{at: 10s, size: 1}]
        document: {kind: GroupPlacement, spec: {group: {name: g, size: 2, type: g}}}
  scheduler:
    profile:
      filter: [allocation-candidates]
      postFilter: [in-quota-preemption]
)") == std::set<std::string>{"v"});
}

TEST_CASE("gang preemption: the islands that its members need are free together", "[cli]") {
    // On each host, a pod of priority 3 and the newest pod have one NVLink island, and two older
    // pods the other. By what they would lose, the newest would go first; but each member needs a
    // whole island.
    CHECK(preempted_in(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 2}]
      machines: [{type: m}]
      machineTypes:
        m: {capacity: {cpu: 64}, devices: {gpu: {count: 4, nvlink: [[0, 1], [2, 3]]}}}
  types:
    one: {cpu: 1, nvidia.com/gpu: 1}
    island:
      cpu: 1
      resource/group/gpugrp0/A/gpu/0/cards: 1
      resource/group/gpugrp0/A/gpu/1/cards: 1
  quotas:
    - objects:
      - {kind: ElasticQuota, metadata: {name: q}, spec: {min: {cpu: 128}, max: {cpu: 128}}}
  workload:
    - pods:
      - {name: a-high, type: one, quota: q, at: 0s, priority: 3, lifetime: 100s}
      - {name: a-brief, type: one, quota: q, at: 1s, priority: 2, lifetime: 10s}
      - {name: a-old, type: one, count: 2, quota: q, at: 2s, priority: 2, lifetime: 100s}
      - {name: b-high, type: one, quota: q, at: 3s, priority: 3, lifetime: 100s}
      - {name: b-brief, type: one, quota: q, at: 4s, priority: 2, lifetime: 10s}
      - {name: b-old, type: one, count: 2, quota: q, at: 5s, priority: 2, lifetime: 100s}
      - {name: a-new, type: one, quota: q, at: 12s, priority: 2, lifetime: 100s}
      - {name: b-new, type: one, quota: q, at: 15s, priority: 2, lifetime: 100s}
    - groups:
      - at: 20s
        lifetime: 10s
        quota: q
        priority: 9
        document: {kind: GroupPlacement, spec: {group: {name: top, size: 2, type: island}}}
  scheduler:
    profile: {postFilter: [gang-preemption], score: [first-fit], reserve: [group-allocator]}
)") == std::set<std::string>{"a-old-0", "a-old-1", "b-old-0", "b-old-1"});
}

TEST_CASE("gang preemption: beside every backfill", "[cli]") {
    // Once `brief` has ended, `high` keeps its quota within its min, and three of seven pods have
    // to be given back.
    for (const char* order :
         {"fcfs", "easy-backfill", "conservative-backfill", "replanned-backfill"}) {
        CAPTURE(order);
        CHECK(preempted_in(R"(spec:
  topology:
    spec:
      levels: [{name: host, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 4}}}
  types: {one: {cpu: 1}}
  quotas:
    - objects:
      - {kind: ElasticQuota, metadata: {name: owed}, spec: {min: {cpu: 4}, max: {cpu: 8}}}
      - {kind: ElasticQuota, metadata: {name: owes}, spec: {min: {cpu: 4}, max: {cpu: 8}}}
  workload:
    - pods:
      - {name: low, type: one, count: 7, at: 0s, lifetime: 50s, quota: owes}
      - {name: brief, type: one, at: 0s, lifetime: 5s, quota: owed}
    - groups:
      - at: 1s
        lifetime: 40s
        quota: owed
        document: {kind: GroupPlacement, spec: {group: {name: high, size: 4, type: one}}}
  scheduler:
    profile:
      preFilter: [{name: elastic-quota, limit: max}]
      queueSort: )" + std::string(order) +
                           R"(
      postFilter: [{name: gang-preemption, reclaim: true}]
)") == std::set<std::string>{"low-0", "low-1", "low-2"});
    }
}

TEST_CASE("gang preemption: berth why tells of both sides", "[cli]") {
    const Folder folder;
    const std::string experiment = project_file("experiments/quota/reclaim.yaml");
    (void)done(folder, {"run", experiment, "-o", "out", "--quiet"});
    CHECK_THAT(done(folder, {"why", "out", "fourth"}),
               Catch::Contains("evicted (preempted) after 57 min"));
    CHECK_THAT(done(folder, {"why", "out", "training"}),
               Catch::Contains("after others were preempted"));
}
