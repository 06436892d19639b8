#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"
#include "quota_experiment.hpp"

using namespace berth::tests;

namespace {

const std::string domain = "quota.scheduling.koordinator.sh/";

}  // namespace

TEST_CASE("quotas of an experiment are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_quotas,
        {{"sum of the children's min above the parent's",
          "min: {cpu: 6}",
          "min: {cpu: 8}",
          "20:19: error: min of the children of org is 11 cpu with team: expected at most its min, "
          "10"},
         {"max below min",
          "max: {cpu: 12}",
          "max: {cpu: 5}",
          "20:19: error: min of team is 6 cpu: expected at most its max, 5"},
         {"a parent that is a leaf",
          domain + "parent: org}\n",
          domain + "parent: alone}\n",
          "20:19: error: parent alone of team is a leaf: expected a quota with is-parent true"},
         {"an unknown parent",
          domain + "parent: org}\n",
          domain + "parent: og}\n",
          "20:19: error: unknown parent 'og' of team: expected the name of another ElasticQuota of "
          "the file (did you mean 'org'?)"},
         {"its own parent",
          domain + "parent: org}\n",
          domain + "parent: team}\n",
          "20:19: error: the parents of team lead back to it (team): expected them to lead to "
          "koordinator-root-quota"},
         {"a cycle",
          "labels: {" + domain + "is-parent: \"true\"}",
          "labels: {" + domain + "is-parent: \"true\", " + domain + "parent: dept}",
          "31:19: error: the parents of dept lead back to it (org, dept): expected them to lead to "
          "koordinator-root-quota"},
         {"a pod on a parent",
          "quota: team, count",
          "quota: dept, count",
          "43:39: error: pod a is in dept, which is a parent: expected a leaf"},
         {"a negative min",
          "min: {cpu: 2}",
          "min: {cpu: -2}",
          "26:19: error: min of alone is -2 cpu: expected at least 0"},
         {"a negative max",
          "max: {cpu: 8}}",
          "max: {cpu: -8}}",
          "26:19: error: max of alone is -8 cpu: expected at least 0"},
         {"a negative weight",
          R"('{"cpu": "4"}')",
          R"('{"cpu": "-4"}')",
          "20:19: error: shared-weight of team is -4 cpu: expected at least 0"},
         {"a name twice",
          "name: alone\n",
          "name: team\n",
          "26:19: error: a second ElasticQuota is named 'team': expected distinct names"},
         {"an annotation that cannot be read",
          R"('{"cpu": "4"}')",
          "'cpu 4'",
          "22:74: error: shared-weight is 'cpu 4': expected quantities such as {cpu: 4, memory: "
          "8Gi}"},
         {"other resources than the parent",
          "max: {cpu: 12}",
          "max: {cpu: 12, memory: 1Gi}",
          "20:19: error: max of team has cpu, memory: expected the resources of its parent org, "
          "cpu"},
         {"an unknown key",
          "spec: {min: {cpu: 6}",
          "spec: {mn: {cpu: 6}",
          "23:18: error: unknown key 'mn' in an ElasticQuota's spec: expected min or max (did you "
          "mean 'min'?)"}});
}

TEST_CASE("sources of quotas are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_quotas,
        {{"neither a file nor objects",
          "    - objects:",
          "    - {}\n    - objects:",
          "12:7: error: found an empty map: expected file: quotas.yaml, or objects: a list of "
          "ElasticQuota objects"},
         {"objects that are no list",
          "    - objects:",
          "    - {objects: 3}\n    - objects:",
          "12:17: error: found '3': expected file: quotas.yaml, or objects: a list of "
          "ElasticQuota objects"},
         {"objects of another kind",
          "    - objects:",
          "    - objects: [{kind: Node}]\n    - objects:",
          "12:17: error: found a map: expected an object such as {kind: ElasticQuota, metadata: "
          "{name: team-a}, spec: {min: ..., max: ...}}"},
         {"a pod among the quotas",
          "    - objects:",
          "    - objects: [{kind: Pod, metadata: {name: p}}]\n    - objects:",
          "12:17: error: found a map: expected an object such as {kind: ElasticQuota, metadata: "
          "{name: team-a}, spec: {min: ..., max: ...}}"},
         {"no file",
          "    - objects:",
          "    - {file: none.yaml}\n    - objects:",
          "12:14: error: none.yaml cannot be read (No such file or directory): expected a readable "
          "file"},
         {"a file and objects",
          "    - objects:",
          "    - file: none.yaml\n      objects:",
          "12:13: error: file and objects are both given: expected one of them"},
         {"no list",
          "  quotas:\n",
          "  quotas: 3\n  x:\n",
          "11:11: error: found '3': expected a list such as [{file: quotas.yaml}]"}});
}

TEST_CASE("a file of quotas is refused where it is wrong", "[cli][bad-input]") {
    const std::size_t begin = sound_quotas.find("    - objects:");
    const std::string experiment = sound_quotas.substr(0, begin) + "    - {file: quotas.yaml}\n" +
                                   sound_quotas.substr(sound_quotas.find("  workload"));
    const std::string quotas = R"(kind: ElasticQuota
metadata: {name: org, labels: {quota.scheduling.koordinator.sh/is-parent: "true"}}
spec: {min: {cpu: 4}, max: {cpu: 8}}
---
kind: ElasticQuota
metadata: {name: team, labels: {quota.scheduling.koordinator.sh/parent: org}}
spec: {min: {cpu: 4}, max: {cpu: 8}}
---
kind: ElasticQuota
metadata: {name: alone}
spec: {min: {cpu: 4}, max: {cpu: 8}}
)";
    const Folder folder;
    folder.write("experiment.yaml", experiment);
    folder.write("quotas.yaml", quotas);
    REQUIRE(folder.berth({"run", "experiment.yaml", "-o", "sound_quotas"}).status == 0);
    std::filesystem::remove_all(folder.path() / "sound_quotas");
    folder.write("quotas.yaml", replaced(quotas, "parent: org", "parent: ogr"));
    Answer answer = folder.berth({"run", "experiment.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "quotas.yaml:6:18: error: unknown parent 'ogr' of team: expected the name of another "
          "ElasticQuota of the file (did you mean 'org'?)");
    folder.write("quotas.yaml", "kind: Pod\nmetadata: {name: p\n");
    answer = folder.berth({"run", "experiment.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Catch::StartsWith("quotas.yaml:"));
    folder.write("quotas.yaml", "kind: Node\nmetadata: {name: n}\n");
    answer = folder.berth({"run", "experiment.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "quotas.yaml:1:1: error: found no quota: expected kind: ElasticQuota");
    CHECK(folder.listing() == std::vector<std::string>{"experiment.yaml", "quotas.yaml"});
}

TEST_CASE("plug-ins of quotas are refused where they are wrong", "[cli][bad-input]") {
    const std::string amounts =
        "error: found 'x': expected a Kubernetes quantity such as 500m, 16 or 256Gi";
    check_mistakes(
        "run",
        sound_quotas,
        {{"limit",
          "limit: runtime",
          "limit: runtimes",
          "51:48: error: unknown limit 'runtimes': expected runtime, max or min (did you mean "
          "'runtime'?)"},
         {"refresh",
          "refresh: 2s",
          "refresh: -2s",
          "51:66: error: found '-2s': expected a duration that is not negative, such as 10ms, 10s, "
          "5m, 24h or 7d"},
         {"an option that there is not",
          "refresh: 2s",
          "refesh: 2s",
          "51:57: error: unknown key 'refesh' in elastic-quota: expected name, limit, "
          "checkParents, scaleMin, refresh or defaultGroupMax (did you mean 'refresh'?)"},
         {"checkParents",
          "limit: runtime",
          "checkParents: 1",
          "51:55: error: found '1': expected true or false"},
         {"scaleMin",
          "limit: runtime",
          "scaleMin: 1",
          "51:51: error: found '1': expected true or false"},
         {"defaultGroupMax, no amounts",
          "limit: runtime",
          "defaultGroupMax: 4",
          "51:58: error: found '4': expected amounts such as {cpu: 2, memory: 32Gi}"},
         {"defaultGroupMax, no quantity",
          "limit: runtime",
          "defaultGroupMax: {cpu: x}",
          "51:64: " + amounts},
         {"defaultGroupMax, negative",
          "limit: runtime",
          "defaultGroupMax: {cpu: -1}",
          "51:64: error: found '-1': expected no negative amount"},
         {"preFilter",
          "name: elastic-quota",
          "name: elastic-qouta",
          "51:19: error: unknown preFilter plug-in 'elastic-qouta': expected elastic-quota (did "
          "you mean 'elastic-quota'?)"},
         {"postFilter",
          "in-quota-preemption",
          "in-quota-premption",
          "52:20: error: unknown postFilter plug-in 'in-quota-premption': expected "
          "gang-preemption or in-quota-preemption (did you mean 'in-quota-preemption'?)"},
         {"two of postFilter",
          "[{name: in-quota-preemption, defaultGroup: true}]",
          "[gang-preemption, in-quota-preemption]",
          "52:19: error: found a list: expected one of them; gang-preemption is for single pods "
          "too"},
         {"an option of gang-preemption",
          "{name: in-quota-preemption, defaultGroup: true}",
          "{name: gang-preemption, reclaims: true}",
          "52:44: error: unknown key 'reclaims' in gang-preemption: expected name or reclaim (did "
          "you mean 'reclaim'?)"},
         {"an option of postFilter",
          "defaultGroup: true",
          "default: true",
          "52:48: error: unknown key 'default' in in-quota-preemption: expected name or "
          "defaultGroup (did you mean 'defaultGroup'?)"},
         {"queueSort",
          "queueSort: drf",
          "queueSort: fair",
          "50:18: error: unknown queueSort 'fair': expected conservative-backfill, drf, "
          "easy-backfill, fair-share, fcfs, fifo, least-attained-service, longest-job, "
          "priority, replanned-backfill or shortest-job (did you mean 'fair-share'?)"},
         {"an option of queueSort that it has not",
          "queueSort: drf",
          "queueSort: {name: fair-share, halflife: 1d}",
          "50:37: error: unknown key 'halflife' in fair-share: expected name or halfLife (did you "
          "mean 'halfLife'?)"},
         {"no half-life at all",
          "queueSort: drf",
          "queueSort: {name: fair-share, halfLife: 0s}",
          "50:47: error: found '0s': expected a duration above 0"},
         {"an order that holds up jobs itself",
          "queueSort: drf",
          "queueSort: {name: easy-backfill, order: fcfs}",
          "50:47: error: found 'fcfs': expected a policy that only orders jobs, which fcfs and the "
          "backfills do not"},
         {"lost work above 1",
          "lostWork: 0.5",
          "lostWork: 1.5",
          "53:15: error: found '1.5': expected a number from 0 to 1"},
         {"lost work below 0",
          "lostWork: 0.5",
          "lostWork: -0.5",
          "53:15: error: found '-0.5': expected a number from 0 to 1"}});
}

TEST_CASE("the recycler and failures are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_quotas,
        {{"period zero",
          "period: 1s",
          "period: 0s",
          "54:22: error: found '0s': expected a duration above 0"},
         {"a negative period",
          "period: 1s",
          "period: -1s",
          "54:22: error: found '-1s': expected a duration that is not negative, such as 10ms, 10s, "
          "5m, 24h or 7d"},
         {"patience",
          "patience: 5s",
          "patience: soon",
          "54:36: error: found 'soon': expected a duration such as 10ms, 10s, 5m, 24h or 7d"},
         {"rules",
          "patience: 5s",
          "rules: real",
          "54:33: error: unknown rules 'real': expected documented or published"},
         {"an unknown key",
          "patience: 5s",
          "patiense: 5s",
          "54:26: error: unknown key 'patiense' in recycler: expected period, patience or rules "
          "(did you mean 'patience'?)"},
         {"no map",
          "{period: 1s, patience: 5s}",
          "3",
          "54:13: error: recycler is '3': expected a map of keys and "
          "values"},
         {"an unknown server",
          "node: server-1",
          "node: server-9",
          "55:39: error: found 'server-9': expected the name of a server of the topology"},
         {"what happens",
          "event: fail",
          "event: explode",
          "55:56: error: unknown event 'explode': expected fail, repair or add"},
         {"nothing happens",
          ", event: fail",
          "",
          "55:23: error: an event of failures has no 'event': expected one"},
         {"no time",
          "at: 30s, node",
          "node",
          "55:23: error: an event of failures has no 'at': expected one"},
         {"added twice",
          "event: fail}",
          "event: add}, {at: 50s, node: server-1, event: add}",
          "55:13: error: server 'server-1' is added twice: expected fail and repair for one that "
          "was there"},
         {"no events",
          "{events: [",
          "{event: [",
          "55:14: error: unknown key 'event' in failures: expected events, random, csv, file, "
          "zero, lemons, crews, quarantine or detection (did you mean 'events'?)"}});
}

TEST_CASE("changes of quotas are refused where they are malformed", "[cli][bad-input]") {
    const std::string patch = "{name: alone, max: {cpu: 4}}";
    check_mistakes(
        "run",
        sound_quotas,
        {{"no change",
          "{at: 20s, delete: org}",
          "{at: 20s}",
          "47:7: error: a change: expected one of create, update, delete"},
         {"two changes",
          "delete: org",
          "delete: org, update: {name: alone}",
          "47:7: error: a change: expected one of create, update, delete"},
         {"no time",
          "at: 20s, ",
          "",
          "47:7: error: an entry of quotaChanges has no 'at': expected one"},
         {"a time that is none",
          "at: 20s",
          "at: later",
          "47:12: error: found 'later': expected a duration such as 10ms, 10s, 5m, 24h or 7d"},
         {"an unknown change",
          "delete: org",
          "remove: org",
          "47:17: error: unknown key 'remove' in an entry of quotaChanges: expected at, create, "
          "update or delete"},
         {"an update of nobody",
          "name: alone, max: {cpu: 4}",
          "max: {cpu: 4}",
          "46:25: error: an update of a quota has no 'name': expected one"},
         {"an update of what there is not",
          "max: {cpu: 4}",
          "mx: {cpu: 4}",
          "46:39: error: unknown key 'mx' in an update of a quota: expected name, min, max, "
          "sharedWeight, parent or allowLentResource (did you mean 'max'?)"},
         {"no quantity",
          "max: {cpu: 4}",
          "max: {cpu: four}",
          "46:50: error: found 'four': expected a Kubernetes quantity such as 500m, 16 or 256Gi"},
         {"no amounts",
          "max: {cpu: 4}",
          "max: 4",
          "46:44: error: found '4': expected amounts such as {cpu: 2, memory: 32Gi}"},
         {"a quota that is none",
          "update: " + patch,
          "create: {name: x}",
          "46:25: error: found a map: expected an ElasticQuota"},
         {"an object of another kind",
          "update: " + patch,
          "create: {kind: Pod, metadata: {name: x}}",
          "46:25: error: found a map: expected an ElasticQuota"},
         {"a list of quotas",
          "update: " + patch,
          "create: {kind: List, items: []}",
          "46:25: error: found a map: expected an ElasticQuota"},
         {"a quota with a wrong part",
          "update: " + patch,
          "create: {kind: ElasticQuota, metadata: {name: x}, spec: {mx: {cpu: 1}}}",
          "46:74: error: unknown key 'mx' in an ElasticQuota's spec: expected min or max (did you "
          "mean 'max'?)"},
         {"a name that is none",
          "delete: org",
          "delete: [org]",
          "47:25: error: found a list: expected a text"},
         {"no list",
          "  quotaChanges:\n",
          "  quotaChanges: 3\n  x:\n",
          "45:17: error: found '3': expected a list such as [{at: 1h, delete: team-a}]"}});
}
