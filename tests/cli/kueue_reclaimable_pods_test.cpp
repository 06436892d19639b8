#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string objects = R"(
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
)";

std::string experiment(const std::string& group, const std::string& others) {
    return R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: reclaimed}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}}
  workload:
    - groups:
        - document: {kind: GroupPlacement, spec: {group: {name: g, type: one, )" +
           group + R"(
          quota: all
    - pods:
)" + others +
           "  scheduler: {kueue: kueue.yaml}\n";
}

std::map<std::string, CsvRow> jobs_of(const Folder& folder, const std::string& document) {
    folder.write("kueue.yaml", objects);
    folder.write("run.yaml", document);
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
    std::map<std::string, CsvRow> jobs;
    for (CsvRow& row : csv_rows(folder.read("out/jobs.csv"))) {
        jobs[row.at("job")] = std::move(row);
    }
    return jobs;
}

}  // namespace

TEST_CASE("kueue: pods that are done give their quota back", "[kueue]") {
    const Folder folder;
    const auto jobs = jobs_of(folder,
                              experiment("size: 4}}}\n"
                                         "          lifetime: 1h\n"
                                         "          resize: [{at: 10m, size: 2}]",
                                         "        - {name: a, type: one, count: 2, at: 1m, "
                                         "lifetime: 1h, quota: all}\n"));
    CHECK(jobs.at("g").at("start_s") == "0");
    CHECK(jobs.at("g").at("finish_s") == "3600");
    CHECK(jobs.at("a-0").at("start_s") == "601");
    CHECK(jobs.at("a-1").at("start_s") == "601");
}

TEST_CASE("kueue: who needs fewer pods while it waits asks for less quota", "[kueue]") {
    const Folder folder;
    const auto jobs = jobs_of(folder,
                              experiment("size: 4}}}\n"
                                         "          at: 1m\n"
                                         "          lifetime: 1h\n"
                                         "          resize: [{at: 10m, size: 3}]",
                                         "        - {name: a, type: one, lifetime: 5h, quota: "
                                         "all}\n"));
    CHECK(jobs.at("g").at("start_s") == "600");
    CHECK(jobs.at("g").at("placed") == "3");
}

TEST_CASE("kueue: groups that grow are refused", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects);
    folder.write("run.yaml",
                 experiment("size: 2}}}\n"
                            "          lifetime: 1h\n"
                            "          resize: [{at: 5m, size: 1}, {at: 10m, size: 2}]",
                            "        - {name: a, type: one, lifetime: 1h, quota: all}\n"));
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err,
               Catch::Contains("g grows beside kueue: expected groups that shrink alone"));
}
