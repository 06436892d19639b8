// Runs in which quotas share whole GPUs.

#include <catch2/catch.hpp>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

TEST_CASE("quotas: whole GPUs are shared whole, as long as nobody asks for a part",
          "[cli][quota]") {
    std::string quotas;
    std::string pods;
    for (int i = 0; i < 18; ++i) {
        const std::string name = "q" + std::to_string(i);
        quotas +=
            "        - {apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, "
            "metadata: {name: " +
            name + "}, spec: {max: {nvidia.com/gpu: 81}}}\n";
        pods += "        - {name: " + name +
                ", type: whole, count: 9, lifetime: 1h, quota: " + name + "}\n";
    }
    const std::string part = "        - {name: x, type: part, count: 1, lifetime: 1h, quota: q0}\n";
    const auto started_at_once = [&](const std::string& more) {
        const Folder folder;
        folder.write("gpus.yaml",
                     "kind: Experiment\nmetadata: {name: gpus}\nspec:\n  topology:\n    spec:\n"
                     "      levels: [{name: server, count: 81}]\n      machines: [{type: m}]\n"
                     "      machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 1}}}\n"
                     "  quotas:\n    - objects:\n" +
                         quotas +
                         "  types: {whole: {nvidia.com/gpu: 1}, part: {nvidia.com/gpu: 500m}}\n"
                         "  workload:\n    - pods:\n" +
                         pods + more);
        CHECK(folder.berth({"run", "gpus.yaml"}).status == 0);
        int count = 0;
        for (const CsvRow& row : csv_rows(folder.read("out/gpus/pods.csv"))) {
            count += row.at("start_s") == "0" ? 1 : 0;
        }
        return count;
    };
    CHECK(started_at_once("") == 81);
    CHECK(started_at_once(part) < 81);  // each quota has 4.5 of them
}

TEST_CASE("quotas: why says that a quota is below its min while another borrows",
          "[cli][quota][why]") {
    const auto quota = [](const std::string& name) {
        return "        - {apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, "
               "metadata: {name: " +
               name + "}, spec: {min: {nvidia.com/gpu: 1}, max: {nvidia.com/gpu: 2}}}\n";
    };
    const Folder folder;
    folder.write("gpus.yaml",
                 "kind: Experiment\nmetadata: {name: gpus}\nspec:\n  topology:\n    spec:\n"
                 "      levels: [{name: server, count: 2}]\n      machines: [{type: m}]\n"
                 "      machineTypes: {m: {capacity: {nvidia.com/gpu: 1}}}\n"
                 "  quotas:\n    - objects:\n" +
                     quota("a") + quota("b") +
                     "  types: {one: {nvidia.com/gpu: 1}}\n"
                     "  workload:\n    - pods:\n"
                     "        - {name: a, type: one, count: 2, lifetime: 1h, quota: a}\n"
                     "        - {name: b, type: one, count: 1, at: 1m, lifetime: 1h, quota: b}\n");
    CHECK(folder.berth({"run", "gpus.yaml"}).status == 0);
    CHECK_THAT(folder.berth({"why", "out/gpus", "b"}).out,
               Catch::Contains("Quota b uses 0 of its min of 1 nvidia.com/gpu; a uses 1 "
                               "nvidia.com/gpu above its runtime of 1; gang-preemption with "
                               "reclaim would take it back."));
}
