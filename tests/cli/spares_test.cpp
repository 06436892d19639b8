#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;
using Catch::Matchers::Contains;

namespace {

/// By hand: `train` has two servers in each rack until server-0 fails at 10 s, and continues with
/// server-2. Its quota may use everything that works and is not a spare, which is exactly what it
/// asks for.
const std::string sound = R"(kind: Experiment
metadata: {name: spares}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 3}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {nvidia.com/gpu: 4}}}
  types: {worker: {nvidia.com/gpu: 4}}
  quotas:
    - objects:
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: all}
          spec: {min: {nvidia.com/gpu: 0}, max: {nvidia.com/gpu: 1000}}
  workload:
    - groups:
        - at: 0s
          lifetime: 50s
          quota: all
          document: {spec: {group: {name: train, size: 4, type: worker}}}
  failures: {events: [{at: 10s, node: server-0, event: fail}]}
  scheduler: {onFailure: {name: replace, spares: {level: rack, count: 1}}}
)";

}  // namespace

TEST_CASE("spares are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"nobody takes them",
          "name: replace",
          "name: shrink",
          "23:49: error: spares are taken only with name: replace: expected name: replace, or no "
          "spares"},
         {"a level that is not there",
          "level: rack",
          "level: rak",
          "23:58: error: found 'rak': expected cluster or rack (did you mean 'rack'?)"},
         {"the servers themselves",
          "level: rack",
          "level: server",
          "23:58: error: found 'server': expected cluster or rack"},
         {"no level",
          "level: rack, count: 1",
          "count: 1",
          "23:50: error: spares has no 'level': expected one"},
         {"all servers of a node",
          "count: 1}}}",
          "count: 3}}}",
          "23:50: error: 3 spares of cluster/rack-0, which has 3 servers: expected fewer spares "
          "than servers"},
         {"no number",
          "count: 1}}}",
          "count: -1}}}",
          "23:71: error: found '-1': expected a whole number from 0 to 4294967295"},
         {"an unknown key",
          "count: 1}}}",
          "counts: 1}}}",
          "23:64: error: unknown key 'counts' in spares: expected level or count (did you mean "
          "'count'?)"}});
}

TEST_CASE("spares: a job goes on with one, and all GPU time is told", "[cli][failures]") {
    const Folder folder;
    folder.write("e.yaml", sound);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out", "--check-invariants"});
    const auto jobs = csv_rows(folder.read("out/jobs.csv"));
    REQUIRE(jobs.size() == 1);
    CHECK(jobs[0].at("finish_s") == "60");
    std::map<std::string, std::string> seconds;
    for (const auto& row : csv_rows(folder.read("out/gpu_time.csv"))) {
        seconds[row.at("cause")] = row.at("gpu_seconds");
    }
    CHECK(seconds.at("allocated") == "960");
    CHECK(seconds.at("failed") == "200");
    CHECK(seconds.at("spare") == "280");  // server-2 until 10 s, and server-5
    CHECK(folder.berth({"verify", "out"}).status == 0);
}

TEST_CASE("spares: where nothing fails, it is said that no job needs them", "[cli]") {
    const Folder folder;
    const std::string failures = "  failures: {events: [{at: 10s, node: server-0, event: fail}]}\n";
    folder.write("e.yaml", sound);
    CHECK(folder.berth({"validate", "e.yaml"}).err.empty());
    folder.write("e.yaml", replaced(sound, failures, ""));
    const Answer answer = folder.berth({"validate", "e.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Contains("warning: nothing fails in this run, so no job needs the spares"));
}
