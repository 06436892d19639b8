// Machines that only count their GPUs, in every profile that assigns single GPUs.

#include <string>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two servers with eight GPUs each, and pods that together take all of them, one after the other.
std::string experiment_with(const std::string& profile, const std::string& capacity = "8") {
    return R"(kind: Experiment
metadata: {name: counted}
spec:
  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: hgx}],
    machineTypes: {hgx: {capacity: {cpu: 192, memory: 2Ti, nvidia.com/gpu: )" +
           capacity + R"(}}}}}
  types: {two: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 2}, four: {cpu: 8, nvidia.com/gpu: 4}}
  workload:
    - pods: [{name: small, type: two, count: 4, at: 1s, lifetime: 1h}]
    - pods: [{name: large, type: four, count: 2, at: 2s, lifetime: 1h}]
  scheduler: {profile: {)" +
           profile + "}}\n";
}

}  // namespace

TEST_CASE("counted GPUs: every policy and allocator starts pods on them", "[cli][counted-gpus]") {
    const auto profile = GENERATE(values<std::string>({"score: [fragmentation-gradient-descent]",
                                                       "score: [gpu-packing]",
                                                       "score: [gpu-clustering]",
                                                       "score: [dot-product]",
                                                       "score: [random], reserve: [gpu-sharing]",
                                                       "score: [topology-aware-packing]",
                                                       "score: [topology-aware-fragmentation]",
                                                       "score: [best-fit], reserve: [gpu-sharing]",
                                                       "reserve: [gpu-sharing]",
                                                       "reserve: [first-fit]",
                                                       "reserve: [device-allocator]",
                                                       "reserve: [group-allocator]",
                                                       "score: [best-fit]",
                                                       "score: [first-fit]",
                                                       "score: [least-allocated]",
                                                       "score: [most-allocated]",
                                                       "score: [worst-fit]"}));
    CAPTURE(profile);
    const Folder folder;
    folder.write("counted.yaml", experiment_with(profile));
    CHECK(folder.berth({"validate", "counted.yaml"}).status == 0);
    (void)done(folder, {"run", "counted.yaml", "--quiet"});
    const auto rows = csv_rows(folder.read("out/counted/pods.csv"));
    REQUIRE(rows.size() == 6);
    for (const CsvRow& row : rows) {
        CHECK(row.at("outcome") == "finished");
        // A random choice of server may split the room for which a larger pod then waits.
        CHECK((row.at("wait_s") == "0" || profile.find("random") != std::string::npos));
    }
}

TEST_CASE("counted GPUs: what cannot be given out one by one is refused", "[cli][counted-gpus]") {
    struct Row {
        std::string capacity;
        std::string message;
    };
    const Row row = GENERATE(Row{"7500m",
                                 "counted.yaml:4:13: error: machine type 'hgx' has 7500m "
                                 "nvidia.com/gpu: expected a whole number of GPUs where they are "
                                 "given out one by one"},
                             Row{"65",
                                 "counted.yaml:4:13: error: machine type 'hgx' has 65 GPUs: "
                                 "expected at most 64 where they are given out one by one"});
    const Folder folder;
    folder.write("counted.yaml", experiment_with("score: [gpu-packing]", row.capacity));
    const Answer answer = folder.berth({"run", "counted.yaml", "--quiet"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() == row.message);
}
