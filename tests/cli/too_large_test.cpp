#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::vector<CsvRow> pods_of(const Folder& folder, const std::string& experiment) {
    folder.write("large.yaml", experiment);
    (void)done(folder, {"run", "large.yaml", "--quiet"});
    return csv_rows(folder.read("out/tiny/pods.csv"));
}

std::string with_retry(const std::string& retry) {
    return replaced(sound_experiment, "retry: always", "retry: " + retry);
}

}  // namespace

TEST_CASE("a pod larger than any server waits or is dropped, with its reason", "[cli][outcome]") {
    const auto [retry, outcome] =
        GENERATE(table<std::string, std::string>({{"never", "dropped"}, {"always", "waiting"}}));
    const Folder folder;
    const auto rows = pods_of(folder, replaced(with_retry(retry), "{cpu: 4", "{cpu: 40"));
    REQUIRE(rows.size() > 5);
    for (const CsvRow& row : rows) {
        CHECK(row.at("outcome") == outcome);
        CHECK(row.at("node").empty());
        CHECK(row.at("start_s").empty());
        CHECK_THAT(
            row.at("reason"),
            Catch::StartsWith("0/6 nodes are available") && Catch::EndsWith("6 Insufficient cpu."));
    }
    const Answer answer = folder.berth({"validate", "large.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("large.yaml:") &&
                   Catch::Contains(
                       "warning: pod: a pod demands more than any server has: 40 cpu, and none "
                       "has more than 16: it can never start"));
}

TEST_CASE("a group larger than the cluster waits or is dropped, with its reason",
          "[cli][outcome]") {
    const auto [retry, outcome] =
        GENERATE(table<std::string, std::string>({{"never", "dropped"}, {"always", "waiting"}}));
    const Folder folder;
    const auto rows = pods_of(folder, replaced(with_retry(retry), "size: 4", "size: 40"));
    std::size_t members = 0;
    for (const CsvRow& row : rows) {
        if (row.at("group") == "g") {
            ++members;
            CHECK(row.at("outcome") == outcome);
            CHECK(row.at("node").empty());
            CHECK_THAT(row.at("reason"), Catch::Contains("of 40 members can be placed"));
        } else {
            CHECK(row.at("outcome") == "finished");
        }
    }
    CHECK(members == 40);
    const Answer answer = folder.berth({"validate", "large.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: g: 40 members must start, the empty cluster "
                               "holds 24: it can never start"));
}

TEST_CASE("amounts that no cluster has are refused at their place, or run", "[cli][bad-input]") {
    const Folder folder;
    const auto run = [&](const std::string& type, const std::string& pods) {
        folder.write("e.yaml",
                     "kind: Experiment\nmetadata: {name: e}\nspec:\n"
                     "  topology: {spec: {levels: [{name: server, count: 2}], machines: "
                     "[{type: m}], machineTypes: {m: {capacity: {cpu: 8, "
                     "nvidia.com/gpu: 8}}}}}\n"
                     "  types: {big: {" +
                         type + "}, one: {nvidia.com/gpu: 1}}\n  workload:\n" + pods +
                         "  until: 1h\n");
        return folder.berth({"run", "e.yaml", "-o", "out", "-q", "--check-invariants"});
    };
    const std::string one = "    - pods: [{name: p, type: big}]\n";
    // GPUs are counted in thousandths.
    CHECK_THAT(run("nvidia.com/gpu: 9223372036854775", one).first_line(),
               Catch::Contains("e.yaml:7:14: error: p asks for 9223372036854775 nvidia.com/gpu a "
                               "pod: expected at most 4611686018427387903m in all its pods, which "
                               "is what a run can count"));
    CHECK_THAT(run("nvidia.com/gpu: 1000000000000",
                   "    - groups: [{at: 0s, document: {kind: GroupPlacement, spec: {group: {name: "
                   "g, size: 10000, type: big}}}}]\n")
                   .first_line(),
               Catch::Contains("e.yaml:7:16: error: g asks for 1000000000000 nvidia.com/gpu a "
                               "pod: expected at most"));
    for (const std::string reserve : {"", "  scheduler: {profile: {reserve: [gpu-sharing]}}\n"}) {
        const Answer many =
            run("nvidia.com/gpu: 1000000000000",
                "    - pods: [{name: p, type: big, count: 1000}, {name: q, type: one, lifetime: "
                "1m, count: 20}]\n" +
                    reserve);
        INFO(many.err);
        CHECK(many.status == 0);
        const CsvRow row = csv_rows(folder.read("out/replications.csv")).at(0);
        CHECK(row.at("pods_finished") == "20");
        CHECK(row.at("pods_waiting") == "1000");
    }
}
