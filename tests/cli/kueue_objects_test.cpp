#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// The objects that an administrator exports from a cluster, one of each kind.
const std::string objects = R"(apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: default}
spec:
  levels: [{nodeLabel: cloud/block}, {nodeLabel: cloud/rack}, {nodeLabel: kubernetes.io/hostname}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpu}
spec: {nodeLabels: {pool: gpu}, topologyName: default}
---
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: Cohort
  metadata: {name: lab}
  spec: {parentName: all}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ClusterQueue
  metadata: {name: team}
  spec:
    cohortName: lab
    namespaceSelector: {}
    resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: gpu, resources: [{name: cpu, nominalQuota: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: a, namespace: team}
spec: {clusterQueue: team}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 10
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare]}
)";

struct Row {
    std::string what;
    std::string part;
    std::string by;
    std::string message;
};

}  // namespace

TEST_CASE("kueue objects: those that Kueue takes are valid", "[cli][kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects);
    const Answer answer = folder.berth({"validate", "kueue.yaml"});
    CHECK(answer.status == 0);
    CHECK(answer.out == "kueue.yaml: valid\n");
    CHECK(answer.err.empty());
}

TEST_CASE("kueue objects: what the webhooks refuse is refused", "[cli][kueue][bad-input]") {
    const std::vector<Row> rows{
        {"a level twice",
         "cloud/rack",
         "cloud/block",
         "5:50: error: found 'cloud/block': expected a label that no level above has"},
        {"servers above racks",
         "{nodeLabel: cloud/rack}, {nodeLabel: kubernetes.io/hostname}",
         "{nodeLabel: kubernetes.io/hostname}, {nodeLabel: cloud/rack}",
         "5:50: error: found 'kubernetes.io/hostname': expected it only as the lowest level"},
        {"a topology without levels",
         "[{nodeLabel: cloud/block}, {nodeLabel: cloud/rack}, {nodeLabel: kubernetes.io/hostname}]",
         "[]",
         "5:11: error: found an empty list: expected a list of 1 to 16 levels: {nodeLabel: ...}"},
        {"a topology without labels of nodes",
         "nodeLabels: {pool: gpu}, ",
         "",
         "10:7: error: found a map: expected nodeLabels, as every flavor with a topology has"},
        {"less than nothing",
         "nominalQuota: 2",
         "nominalQuota: -2",
         "27:67: error: found '-2': expected a Kubernetes quantity from 0 on, such as 500m, 16 or "
         "256Gi"},
        {"a taint that keeps all jobs away",
         "topologyName: default}",
         "topologyName: default, nodeTaints: [{key: gpu, value: a, effect: NoSchedule}], "
         "tolerations: [{key: gpu, value: b}]}",
         "10:69: error: found a map: expected one that the flavor's own tolerations tolerate, "
         "since jobs of a run have none"},
        {"an effect that no taint has",
         "topologyName: default}",
         "topologyName: default, nodeTaints: [{key: gpu, effect: Never}]}",
         "10:88: error: unknown effect 'Never': expected NoSchedule, PreferNoSchedule or "
         "NoExecute"},
        {"concurrent admission",
         "cohortName: lab\n    namespaceSelector: {}",
         "cohortName: lab\n    namespaceSelector: {}\n    concurrentAdmissionPolicy: {a: b}",
         "25:32: error: found a map: expected none, since concurrent admission is not modelled"},
        {"a gate that is off though another one needs it",
         "fairSharing: {",
         "featureGates: {FlavorFungibility: false}\nfairSharing: {",
         "41:15: error: found a map: expected FlavorFungibilityPreserveScanProgress: false or "
         "FlavorFungibility: true: Kueue does not start with a gate that is on without one that it "
         "needs"},
        {"another kind",
         "kind: LocalQueue",
         "kind: MultiKueueCluster",
         "29:1: error: kind MultiKueueCluster: expected ClusterQueue, Cohort, LocalQueue, "},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Folder folder;
        folder.write("kueue.yaml", replaced(objects, row.part, row.by));
        const Answer answer = folder.berth({"validate", "kueue.yaml"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(), Catch::StartsWith("kueue.yaml:" + row.message));
        CHECK(answer.out.empty());
    }
}

TEST_CASE("kueue objects: who will admit nobody is said", "[cli][kueue]") {
    const std::vector<Row> rows{
        {"a queue without a selector of namespaces",
         "    namespaceSelector: {}\n",
         "",
         "ClusterQueue team has no namespaceSelector, without which Kueue admits no jobs: jobs of "
         "all namespaces are admitted here, as with namespaceSelector: {}"},
        {"a queue for some namespaces",
         "namespaceSelector: {}",
         "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: lab}}",
         "ClusterQueue team: its namespaceSelector has no effect, since a run knows no labels of "
         "namespaces: jobs of all namespaces are admitted"},
        {"a queue of another file",
         "clusterQueue: team}",
         "clusterQueue: other}",
         "LocalQueue team/a: ClusterQueue other is not in this file, without which no job in the "
         "queue is admitted"},
        {"a topology of another file",
         "topologyName: default",
         "topologyName: other",
         "ResourceFlavor gpu: Topology other is not in this file, without which no job is "
         "admitted"},
        {"a flavor that is missing",
         "metadata: {name: gpu}",
         "metadata: {name: cpu}",
         "ClusterQueue team can't admit new workloads: references missing ResourceFlavor(s): gpu"},
        {"a gate that Kueue does not have",
         "fairSharing: {",
         "featureGates: {FlavorFungibilty: false, MultiKueue: true}\nfairSharing: {",
         "Kueue has no feature gate 'FlavorFungibilty' (did you mean 'FlavorFungibility'?)"},
        {"cohorts in a circle",
         "parentName: all",
         "parentName: lab",
         "ClusterQueue team can't admit new workloads: the parents of its cohort lab go round in a "
         "circle"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Folder folder;
        folder.write("kueue.yaml", replaced(objects, row.part, row.by));
        const Answer answer = folder.berth({"validate", "kueue.yaml"});
        CHECK(answer.status == 0);
        CHECK_THAT(answer.err, Catch::Contains(": warning: " + row.message));
    }
}

TEST_CASE("kueue objects: as a cluster has them, with all that its program adds", "[cli][kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", R"(apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ResourceFlavor
  metadata:
    name: a100
    uid: 1-2-3
    finalizers: [kueue.x-k8s.io/resource-in-use]
    managedFields: [{manager: kubectl, operation: Apply, fieldsV1: {"f:spec": {}}}]
  spec:
    nodeLabels: {pool: a100}
    nodeTaints:
    - {key: nvidia.com/gpu, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}
    - {key: spot, value: "true", effect: PreferNoSchedule}
    tolerations: [{key: nvidia.com/gpu, operator: Exists, tolerationSeconds: 5}]
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ClusterQueue
  metadata: {name: research, generation: 3}
  spec:
    namespaceSelector: {}
    resourceGroups:
    - coveredResources: [cpu, memory, amd.com/gpu]
      flavors:
      - name: a100
        resources:
        - {name: cpu, nominalQuota: 1500m}
        - {name: memory, nominalQuota: 1.5Gi}
        - {name: amd.com/gpu, nominalQuota: "4"}
  status: {conditions: [{type: Active, status: "True"}], pendingWorkloads: 2}
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
health: {healthProbeBindAddress: ":8081"}
pprofBindAddress: ":8083"
visibilityServer: {bindPort: 8082}
waitForPodsReady: {timeout: 5m, requeuingStrategy: {backoffLimitCount: null}}
)");
    const Answer answer = folder.berth({"validate", "kueue.yaml"});
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
}
