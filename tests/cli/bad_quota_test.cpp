#include <catch2/catch.hpp>
#include <string>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Children come before their parent, which makes no difference.
const std::string sound_quotas = R"(apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: ElasticQuota
metadata:
  name: team-a
  labels: {quota.scheduling.koordinator.sh/parent: org}
  annotations:
    quota.scheduling.koordinator.sh/shared-weight: '{"cpu":"4"}'
spec:
  max: {cpu: 20, memory: 40Gi}
  min: {cpu: 6, memory: 20Gi}
---
kind: ElasticQuota
metadata:
  name: team-b
  labels: {quota.scheduling.koordinator.sh/parent: dept}
spec:
  max: {cpu: 20, memory: 40Gi}
  min: {cpu: 1}
---
kind: ElasticQuota
metadata:
  name: dept
  labels:
    quota.scheduling.koordinator.sh/is-parent: "true"
    quota.scheduling.koordinator.sh/parent: org
spec: {max: {cpu: 9, memory: 9Gi}, min: {cpu: 4}}
---
kind: ElasticQuota
metadata:
  name: org
  labels: {quota.scheduling.koordinator.sh/is-parent: "true"}
spec: {max: {cpu: 20, memory: 40Gi}, min: {cpu: 10, memory: 20Gi}}
---
kind: Pod
metadata: {name: pod-0, labels: {quota.scheduling.koordinator.sh/name: team-a}}
)";

}  // namespace

TEST_CASE("mistakes in quotas are reported where they are", "[cli][bad-input]") {
    check_mistakes(
        "validate",
        sound_quotas,
        {{"sum of min above the parent's",
          "min: {cpu: 6,",
          "min: {cpu: 7,",
          "4:9: error: min of the children of org is 11 cpu with team-a: expected at most its min, "
          "10"},
         {"max below min",
          "max: {cpu: 20, memory: 40Gi}\n  min: {cpu: 1}",
          "max: {cpu: 500m, memory: 40Gi}\n  min: {cpu: 1}",
          "14:9: error: min of team-b is 1 cpu: expected at most its max, 500m"},
         {"a parent that is a leaf",
          "sh/parent: dept",
          "sh/parent: team-a",
          "14:9: error: parent team-a of team-b is a leaf: expected a quota with is-parent true"},
         {"its own parent",
          "sh/parent: dept",
          "sh/parent: team-b",
          "14:9: error: the parents of team-b lead back to it (team-b): expected them to lead to "
          "koordinator-root-quota"},
         {"a cycle",
          "    quota.scheduling.koordinator.sh/parent: org",
          "    quota.scheduling.koordinator.sh/parent: team-b",
          "22:9: error: the parents of dept lead back to it (team-b, dept): expected them to lead "
          "to koordinator-root-quota"},
         {"a pod on a parent",
          "sh/name: team-a",
          "sh/name: dept",
          "35:18: error: pod pod-0 is in dept, which is a parent: expected a leaf"},
         {"a negative min",
          "min: {cpu: 1}",
          "min: {cpu: -1}",
          "14:9: error: min of team-b is -1 cpu: expected at least 0"},
         {"a negative max",
          "max: {cpu: 9,",
          "max: {cpu: -9,",
          "22:9: error: max of dept is -9 cpu: expected at least 0"},
         {"a negative weight",
          R"('{"cpu":"4"}')",
          R"('{"cpu":"-4"}')",
          "4:9: error: shared-weight of team-a is -4 cpu: expected at least 0"},
         {"a name twice",
          "name: team-b",
          "name: team-a",
          "14:9: error: a second ElasticQuota is named 'team-a': expected distinct names"},
         {"an annotation that is none",
          R"('{"cpu":"4"}')",
          "'cpu 4'",
          "7:52: error: shared-weight is 'cpu 4': expected quantities such as {cpu: 4, memory: "
          "8Gi}"},
         {"an unknown parent",
          "sh/parent: dept",
          "sh/parent: detp",
          "14:9: error: unknown parent 'detp' of team-b: expected the name of another ElasticQuota "
          "of the file (did you mean 'dept'?)"},
         {"no quantity",
          "min: {cpu: 1}",
          "min: {cpu: 1x}",
          "18:14: error: found '1x': expected a Kubernetes quantity such as 500m, 16 or 256Gi of "
          "cpu"},
         {"other resources than the parent",
          "max: {cpu: 9, memory: 9Gi}",
          "max: {cpu: 9}",
          "22:9: error: max of dept has cpu: expected the resources of its parent org, cpu, "
          "memory"},
         {"an unknown key",
          "spec:\n  max: {cpu: 20, memory: 40Gi}\n  min: {cpu: 1}",
          "spec:\n  maxx: {cpu: 20, memory: 40Gi}\n  min: {cpu: 1}",
          "17:3: error: unknown key 'maxx' in an ElasticQuota's spec: expected min or max (did you "
          "mean 'max'?)"},
         {"no name",
          "  name: org\n",
          "  namespace: x\n",
          "28:1: error: an ElasticQuota has no metadata.name: expected one"},
         {"another version",
          "v1alpha1",
          "v1",
          "1:13: error: found 'scheduling.sigs.k8s.io/v1': expected "
          "scheduling.sigs.k8s.io/v1alpha1"}});
}

TEST_CASE("a pod of an unknown quota is a warning", "[cli]") {
    const Folder folder;
    folder.write("quotas.yaml", replaced(sound_quotas, "sh/name: team-a", "sh/quota-name: team-x"));
    const Answer answer = folder.berth({"validate", "quotas.yaml"});
    CHECK(answer.status == 0);
    CHECK(answer.out == "quotas.yaml: valid\n");
    CHECK(answer.first_line() ==
          "quotas.yaml:35:18: warning: pod pod-0 is in the unknown quota 'team-x': it belongs to "
          "koordinator-default-quota");
}

TEST_CASE("what a cluster lists is validated as one", "[cli]") {
    const Folder folder;
    folder.write("list.yaml", R"(apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
- kind: ElasticQuota
  metadata: {name: a, labels: {quota.scheduling.koordinator.sh/parent: b}}
  spec: {max: {cpu: 1}}
- kind: ElasticQuota
  metadata: {name: b}
  spec: {max: {cpu: 1}}
)");
    const Answer answer = folder.berth({"validate", "list.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "list.yaml:6:20: error: parent b of a is a leaf: expected a quota with is-parent true");
}
