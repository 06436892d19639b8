#include <catch2/catch.hpp>

#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// One ClusterQueue of two cores for the LocalQueues heavy and light.
std::string objects(const std::string& mode, const std::string& strategy = "BestEffortFIFO") {
    return R"(apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
admissionFairSharing: {usageHalfLifeTime: 1h, usageSamplingInterval: 5m, resourceWeights: {cpu: 1}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  queueingStrategy: )" +
           strategy + R"(
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
  admissionScope: {admissionMode: )" +
           mode + R"(}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: heavy}
spec: {clusterQueue: all}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: light}
spec: {clusterQueue: all}
)";
}

std::string experiment(const std::string& pods) {
    return R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: shares}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}, two: {cpu: 2}, three: {cpu: 3}}
  workload:
    - pods:
)" + pods + "  scheduler: {kueue: kueue.yaml}\n";
}

std::string starts_of(const Folder& folder) {
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
    std::string starts;
    for (const CsvRow& row : csv_rows(folder.read("out/jobs.csv"))) {
        starts += row.at("job") + "@" + row.at("start_s") + " ";
    }
    return starts;
}

}  // namespace

TEST_CASE("kueue: who used less is admitted first where usage counts", "[kueue]") {
    const Folder folder;
    folder.write("run.yaml", experiment(R"(
        - {name: a, type: two, lifetime: 1h, quota: heavy}
        - {name: b, type: two, at: 1m, lifetime: 1h, quota: heavy}
        - {name: c, type: two, at: 2m, lifetime: 1h, quota: light}
        - {name: d, type: two, at: 3m, lifetime: 1h, quota: heavy}
)"));
    folder.write("kueue.yaml", objects("UsageBasedAdmissionFairSharing"));
    CHECK(starts_of(folder) == "a@0 b@7202 c@3601 d@10803 ");
    const CsvRow metrics = csv_rows(folder.read("out/replications.csv")).front();
    CHECK(metrics.at("queue/all/default/light/admission_wait_s_mean") == "3481");
    CHECK(metrics.at("queue/all/default/heavy/admitted") == "3");
    CHECK(metrics.at("queue/all/admitted") == "4");
    folder.write("kueue.yaml", objects("NoAdmissionFairSharing"));
    CHECK(starts_of(folder) == "a@0 b@3601 c@7202 d@10803 ");
}

TEST_CASE("kueue: a sample of usage changes who is the head of a strict queue", "[kueue]") {
    // light's first job asks for more than there is, and holds its queue up while light has used
    // less. It is charged for its short job at 1 min; heavy's usage overtakes it at a sample.
    const Folder folder;
    folder.write("kueue.yaml", objects("UsageBasedAdmissionFairSharing", "StrictFIFO"));
    folder.write("run.yaml", experiment(R"(
        - {name: a, type: one, lifetime: 9h, quota: light}
        - {name: b, type: three, at: 1m, lifetime: 1h, quota: heavy}
        - {name: c, type: one, at: 2m, lifetime: 1h, quota: light}
)"));
    // heavy never used anything, so that its head, who never fits, is the head for ever.
    CHECK(starts_of(folder) == "a@0 b@ c@ ");
    folder.write("run.yaml", experiment(R"(
        - {name: a, type: one, lifetime: 10m, quota: heavy}
        - {name: b, type: one, lifetime: 9h, quota: light}
        - {name: c, type: three, at: 11m, lifetime: 1h, quota: heavy}
        - {name: d, type: one, at: 12m, lifetime: 1h, quota: light}
)"));
    CHECK(starts_of(folder) == "a@0 b@0 c@ d@ ");
    // The other way round: heavy's usage goes down, light's who never fits goes up.
    folder.write("run.yaml", experiment(R"(
        - {name: a, type: one, lifetime: 10m, quota: heavy}
        - {name: b, type: one, at: 4m, lifetime: 9h, quota: light}
        - {name: c, type: one, at: 11m, lifetime: 1h, quota: heavy}
        - {name: d, type: three, at: 9m, lifetime: 1h, quota: light}
)"));
    const std::string starts = starts_of(folder);
    INFO(starts);
    CHECK(starts.find("c@660") == std::string::npos);
    CHECK(starts.find("c@ ") == std::string::npos);
}

TEST_CASE("kueue: admission fair sharing that has no effect is said", "[kueue]") {
    struct Case {
        std::string part;
        std::string message;
    };
    const std::string mode = "UsageBasedAdmissionFairSharing";
    const auto [part, message] = GENERATE_COPY(
        Case{"\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue",
             "3:23: warning: admissionFairSharing has no effect, since usage is counted by "
             "LocalQueue and none is {}: add LocalQueues, which the quota of jobs then names"},
        Case{"  admissionScope: {admissionMode: " + mode + "}\n",
             "3:23: warning: admissionFairSharing has no effect, since no ClusterQueue {} has "
             "admissionScope: {admissionMode: " +
                 mode + "}: add it to those whose usage is to count"},
        Case{"admissionFairSharing: {usageHalfLifeTime: 1h, usageSamplingInterval: 5m, "
             "resourceWeights: {cpu: 1}}\n",
             "6:1: warning: ClusterQueue all: " + mode +
                 " has no effect, since no Configuration {} turns admissionFairSharing on: add "
                 "it"});
    const bool locals_gone = part.ends_with("LocalQueue");
    std::string text = objects(mode);
    const std::size_t at = text.find(part);
    text.erase(at, locals_gone ? std::string::npos : part.size());
    const Folder folder;
    folder.write("kueue.yaml", text);
    folder.write("run.yaml",
                 experiment(std::string("        - {name: a, type: one, lifetime: 1h, quota: ") +
                            (locals_gone ? "all" : "heavy") + "}\n"));
    const auto said = [&](const std::string& where) {
        return Catch::Contains("kueue.yaml:" + replaced(message, "{}", where) + "\n");
    };
    const auto run = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(run.status == 0);
    CHECK_THAT(run.err, said("among the objects"));
    const auto valid = folder.berth({"validate", "kueue.yaml"});
    CHECK(valid.status == 0);
    CHECK_THAT(valid.err, said("in this file"));
    folder.write("kueue.yaml", objects(mode));
    CHECK_THAT(folder.berth({"validate", "kueue.yaml"}).err, !Catch::Contains("warning"));
}

TEST_CASE("kueue: admission fair sharing is read, and what is wrong with it refused", "[kueue]") {
    const Folder folder;
    folder.write("run.yaml",
                 experiment("        - {name: a, type: one, lifetime: 1h, quota: heavy}\n"));
    const auto refused = [&](const std::string& from, const std::string& to) {
        std::string text = objects("UsageBasedAdmissionFairSharing");
        text.replace(text.find(from), from.size(), to);
        folder.write("kueue.yaml", text);
        const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
        CHECK(answer.status == 2);
        return answer.err;
    };
    CHECK_THAT(refused("usageHalfLifeTime: 1h", "usageHalfLife: 1h"),
               Catch::Contains("usageHalfLifeTime"));
    CHECK_THAT(refused("{cpu: 1}", "{cpu: -1}"), Catch::Contains("kueue.yaml:3:"));
    CHECK_THAT(refused("admissionMode: Usage", "admissionMode: Fair"),
               Catch::Contains("NoAdmissionFairSharing"));
    CHECK_THAT(refused("usageHalfLifeTime: 1h", "usageHalfLifeTime: -1h"),
               Catch::Contains("kueue.yaml:3:"));
}
