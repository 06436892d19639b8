// What users should know about an experiment: `validate` says it, `run` says it first and keeps it.

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;
using nlohmann::json;

namespace {

/// A valid experiment, except for a group that is larger than the cluster and a quota for a
/// resource that no server has.
std::string odd_experiment() {
    return replaced(replaced(sound_experiment, "size: 4", "size: 40"),
                    "  workload:",
                    "  quotas: [{objects: [{kind: ElasticQuota, metadata: {name: team}, "
                    "spec: {max: {cpu: 64, disk: 3}}}]}]\n  workload:");
}

}  // namespace

TEST_CASE("warnings: run says first what validate says, and summary.json keeps it",
          "[cli][warnings]") {
    const Folder folder;
    folder.write("odd.yaml", odd_experiment());
    const std::string of_reader = "no server has the resource 'disk': quotas limit nothing by it";
    const std::string of_experiment =
        "g: 40 members must start, the empty cluster holds 24: it can never start";

    const Answer validate = folder.berth({"validate", "odd.yaml"});
    CHECK(validate.status == 0);
    CHECK_THAT(validate.err,
               Catch::Contains(": warning: " + of_reader) &&
                   Catch::Contains("odd.yaml:1:1: warning: " + of_experiment));

    const Answer run = folder.berth({"run", "odd.yaml", "--quiet"});
    CHECK(run.status == 0);
    CHECK_THAT(run.err,
               Catch::Contains(": warning: " + of_reader) &&
                   Catch::EndsWith("tiny: warning: " + of_experiment + "\n"));
    const json kept = json::parse(folder.read("out/tiny/summary.json"))["warnings"];
    CHECK(kept.front() == of_reader);
    CHECK(kept.back() == of_experiment);

    // Warnings contain no places, so that a run of the resolved experiment gives the same bytes.
    (void)done(folder, {"run", "out/tiny/experiment.yaml", "-o", "again", "--quiet"});
    CHECK(folder.read("again/summary.json") == folder.read("out/tiny/summary.json"));
}

TEST_CASE("warnings: an experiment without any has none in summary.json", "[cli][warnings]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    CHECK(folder.berth({"run", "sound.yaml", "--quiet"}).err.empty());
    CHECK_FALSE(json::parse(folder.read("out/tiny/summary.json")).contains("warnings"));
}

TEST_CASE("warnings: resources that no server has are said wherever somebody asks for them",
          "[cli][warnings]") {
    // The type and the quota have the same mistake.
    const std::string text =
        replaced(replaced(sound_experiment,
                          "  workload:",
                          "  quotas: [{objects: [{kind: ElasticQuota, metadata: {name: team}, "
                          "spec: {max: {cpu: 64, gpus: 3}}}]}]\n  quotaChanges: [{at: 1s, create: "
                          "{kind: ElasticQuota, metadata: {name: later}, spec: {max: {disks: 3}}}}]"
                          "\n  workload:\n    - pods: [{name: p, type: odd, count: 3}]"),
                 "    small: {cpu",
                 "    odd: {cpu: 1, gpus: 1}\n    small: {cpu");
    const Folder folder;
    folder.write("odd.yaml", text);
    const Answer answer = folder.berth({"validate", "odd.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("no server has the resource 'gpus': quotas limit nothing by it") &&
                   Catch::Contains("no server has the resource 'disks': quotas limit nothing") &&
                   Catch::Contains("p-0 and 2 more jobs: a pod asks for gpus, which no server "
                                   "has: they can never start"));
}
