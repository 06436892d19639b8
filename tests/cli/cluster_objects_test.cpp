// A cluster as Kubernetes lists it: objects in several documents, accelerators of any vendor,
// shared GPUs by annotation, and nodes that are added to existing ones.

#include <string>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string node(const std::string& name,
                 const std::string& amounts,
                 const std::string& labels = "") {
    return "kind: Node\nmetadata: {name: " + name + ", labels: {" + labels +
           "}}\nstatus: {allocatable: {" + amounts + "}}\n";
}

std::string pod(const std::string& name, const std::string& annotations) {
    return "kind: Pod\nmetadata: {name: " + name + ", annotations: {" + annotations +
           "}}\nspec: {containers: [{resources: {requests: {cpu: 1}}}]}\n";
}

std::string experiment(const std::string& nodes, const std::string& rest) {
    return "kind: Experiment\nmetadata: {name: e}\nspec:\n  topology: {nodes: {format: kubernetes, "
           "file: nodes.yaml" +
           nodes + "}}\n" + rest;
}

/// The number of pods that run from 0 s on.
std::size_t started_at_once(const Folder& folder) {
    std::size_t count = 0;
    for (const CsvRow& row : csv_rows(folder.read("out/e/pods.csv"))) {
        count += row.at("start_s") == "0" ? 1 : 0;
    }
    return count;
}

}  // namespace

TEST_CASE("cluster objects: documents of one file are one cluster", "[cli][cluster]") {
    const Folder folder;
    const std::string one = node("a", "cpu: 4") + "---\n" + node("b", "cpu: 4") + "---\n";
    const std::string list =
        "kind: NodeList\nitems: [{metadata: {name: c}, status: {capacity: "
        "{cpu: 4}}}]\n---\nkind: Service\n---\n";
    folder.write("nodes.yaml", one + list + pod("p", "") + "---\n" + pod("q", ""));
    CHECK_THAT(done(folder, {"topology", "nodes.yaml"}), Catch::Contains("3 servers"));
    folder.write(
        "e.yaml",
        experiment("",
                   "  workload: [{running: {file: nodes.yaml, pending: true, lifetime: 1h}}]\n"));
    CHECK(folder.berth({"run", "e.yaml", "--quiet"}).status == 0);
    CHECK(started_at_once(folder) == 2);

    folder.write("two.yaml", node("a", "cpu: 4") + "---\n" + node("a", "cpu: 4"));
    CHECK(folder.berth({"topology", "two.yaml"}).first_line() ==
          "two.yaml:6:18: error: two nodes are named 'a': expected distinct names");
}

TEST_CASE("cluster objects: accelerators of any maker are counted as GPUs", "[cli][cluster]") {
    const std::string name = GENERATE("amd.com/gpu",
                                      "habana.ai/gaudi",
                                      "gpu.intel.com/i915",
                                      "gpu.intel.com/xe",
                                      "google.com/tpu",
                                      "aws.amazon.com/neuron",
                                      "nvidia.com/mig-1g.10gb");
    const std::string profile =
        GENERATE("", "  scheduler: {profile: {reserve: [device-allocator]}}\n");
    CAPTURE(name, profile);
    const Folder folder;
    folder.write("nodes.yaml", node("a", "cpu: 64, " + name + ": 8"));
    folder.write("e.yaml",
                 experiment("",
                            "  types: {four: {cpu: 4, " + name +
                                ": 4}}\n  workload: [{pods: [{name: p, type: four, count: 3, "
                                "lifetime: 1h}]}]\n" +
                                profile));
    const Answer answer = folder.berth({"run", "e.yaml"});
    CHECK(answer.status == 0);
    CHECK(started_at_once(folder) == 2);
    CHECK_THAT(answer.out + answer.err, Catch::Contains("GPUs in use"));
    const CsvRow row = csv_rows(folder.read("out/e/replications.csv")).at(0);
    CHECK(row.at(name + "_utilization") == "0.75");
    CHECK(row.at("gpu_time_allocated") == "0.75");
    CHECK(csv_rows(folder.read("out/e/jobs.csv")).at(0).at("gpus") == "4");

    folder.write("e.yaml", replaced(folder.read("e.yaml"), name + ": 4", name + ": 500m"));
    CHECK_THAT(folder.berth({"validate", "e.yaml"}).err, Catch::Contains("'500m'"));
}

TEST_CASE("cluster objects: GPUs that nobody counts are refused", "[cli][cluster]") {
    const Folder folder;
    folder.write("nodes.yaml", node("a", "cpu: 64, nvidia.com/gpu: 8, google.com/tpu: 4"));
    folder.write("e.yaml",
                 experiment("",
                            "  types: {four: {amd.com/gpu: 4}}\n  workload: [{pods: [{name: p, "
                            "type: four, lifetime: 1h}]}]\n"));
    const Answer answer = folder.berth({"validate", "e.yaml"});
    CHECK_THAT(answer.err,
               Catch::Contains("type 'four' asks for amd.com/gpu, and no server counts any: "
                               "expected it in a capacity"));
    folder.write("e.yaml", replaced(folder.read("e.yaml"), "amd.com/gpu", "nvidia.com/gpu"));
    CHECK_THAT(folder.berth({"validate", "e.yaml"}).err,
               Catch::Contains("warning: servers have nvidia.com/gpu and google.com/tpu: "));
}

TEST_CASE("cluster objects: labels tell the model of a node's devices", "[cli][cluster]") {
    const Folder folder;
    folder.write("nodes.yaml",
                 node("a",
                      "cpu: 4, memory: 1288490188800m, amd.com/gpu: 8",
                      "amd.com/gpu.product-name: MI300X, amd.com/gpu.vram: 192G") +
                     "---\n" +
                     node("b",
                          "cpu: 4, nvidia.com/gpu: 8",
                          "nvidia.com/gpu.product: T4-SHARED, nvidia.com/gpu.replicas: 4") +
                     "---\n" +
                     node("c", "cpu: 4, nvidia.com/gpu: 8", "nvidia.com/gpu.replicas: 1"));
    const Answer answer = folder.berth({"topology", "nodes.yaml", "--to", "json"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.out,
               Catch::Contains("MI300X") && Catch::Contains("206158430208") &&
                   Catch::Contains("1288490189"));
    CHECK_THAT(answer.err,
               Catch::Contains("warning: 1 of 3 nodes, this one first, let several pods share"));
    folder.write("again.json", answer.out);
    CHECK(done(folder, {"topology", "again.json", "--to", "json"}) == answer.out);
}

TEST_CASE("cluster objects: annotations ask for shares of GPUs", "[cli][cluster]") {
    const Folder folder;
    const std::string share = "alibabacloud.com/gpu-milli: 600";
    folder.write("nodes.yaml",
                 node("a",
                      "cpu: 64, alibabacloud.com/gpu-count: 2, alibabacloud.com/gpu-milli: 2000",
                      "alibabacloud.com/gpu-card-model: V100") +
                     "---\n" + pod("p", share) + "---\n" + pod("q", share) + "---\n" +
                     pod("r", share));
    folder.write(
        "e.yaml",
        experiment("",
                   "  workload: [{running: {file: nodes.yaml, pending: true, lifetime: 1h}}]\n"));
    CHECK(folder.berth({"run", "e.yaml", "--quiet"}).status == 0);
    CHECK(started_at_once(folder) == 2);  // 0.8 GPUs are left, but 0.6 of no single GPU

    folder.write("e.yaml", folder.read("e.yaml") + "  scheduler: {profile: {reserve: []}}\n");
    CHECK_THAT(folder.berth({"validate", "e.yaml"}).err,
               Catch::Contains("asks for shares of GPUs, but no plug-in shares them"));
}

TEST_CASE("cluster objects: nodes like those that are there are added", "[cli][cluster]") {
    const Folder folder;
    folder.write("nodes.yaml",
                 node("a", "cpu: 4", "topology.kubernetes.io/zone: z1") + "---\n" +
                     node("a-added-1", "cpu: 4", "topology.kubernetes.io/zone: z2"));
    const std::string work =
        "  types: {four: {cpu: 4}}\n  workload: [{pods: [{name: p, type: four, count: 9, "
        "lifetime: 1h}]}]\n";
    folder.write("e.yaml",
                 experiment(", add: [{like: a, count: 2}, {like: a, labels: "
                            "{topology.kubernetes.io/zone: z3}}]",
                            work));
    CHECK_THAT(done(folder, {"topology", "e.yaml"}), Catch::Contains("3 zones, 5 servers"));
    CHECK(folder.berth({"run", "e.yaml", "--quiet"}).status == 0);
    CHECK(started_at_once(folder) == 5);
    CHECK_THAT(folder.read("out/e/nodes.csv"), Catch::Contains("\na-added-2,"));
    CHECK(folder.berth({"run", "e.yaml", "--quiet", "--set", "spec.topology.nodes.add[0].count=5"})
              .status == 0);
    CHECK(started_at_once(folder) == 8);

    folder.write("e.yaml", experiment(", add: [{like: b, count: 2}]", work));
    CHECK(folder.berth({"validate", "e.yaml"}).first_line() ==
          "e.yaml:4:73: error: unknown node 'b': expected one of the 2 of the list (did you mean "
          "'a'?)");
    folder.write("s.yaml",
                 "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: e.yaml}\n  axes: "
                 "[{name: more, path: 'spec.topology.nodes.add[0].count', values: [0, 3]}]\n");
    folder.write("e.yaml", experiment(", add: [{like: a, count: 2}]", work));
    CHECK(folder.berth({"sweep", "s.yaml", "--quiet"}).status == 0);
}
