// A cluster in the state in which its nodes and pods were listed, and how it continues from there.

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

// A list as printed by `kubectl get nodes,pods -A -o json`, without the parts that berth does not
// read.
const std::string cluster = R"({"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "north"},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "4"}}},
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "south"},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "4"}}},
  {"apiVersion": "v1", "kind": "Pod",
   "metadata": {"name": "train-0", "namespace": "lab", "uid": "unread"},
   "spec": {"nodeName": "south", "priority": 5, "overhead": {"cpu": "100m"},
     "containers": [
       {"name": "main", "resources": {"requests": {"cpu": "1500m"},
                                      "limits": {"cpu": "2", "nvidia.com/gpu": "3"}}},
       {"name": "log", "resources": {"requests": {"cpu": "400m", "memory": "0.1Gi"}}}]},
   "status": {"phase": "Running"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "starting", "namespace": "lab"},
   "spec": {"nodeName": "south",
     "initContainers": [
       {"name": "mesh", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
       {"name": "fetch", "resources": {"requests": {"cpu": "4"}}}],
     "containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]},
   "status": {"phase": "Pending"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "queued", "namespace": "lab"},
   "spec": {"containers": [{"name": "main", "resources": {"requests": {"nvidia.com/gpu": "2"}}}]},
   "status": {"phase": "Pending"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "over", "namespace": "lab"},
   "spec": {"nodeName": "north",
     "containers": [{"name": "main", "resources": {"requests": {"cpu": "8"}}}]},
   "status": {"phase": "Succeeded"}}
]})";

const std::string experiment = R"(kind: Experiment
metadata: {name: from-here}
spec:
  topology: {nodes: {format: kubernetes, file: cluster.json}}
  workload:
    - running: {file: cluster.json, lifetime: 2h}
    - pods: [{name: new, type: four, at: 0s, lifetime: 1h}]
  types: {four: {cpu: 1, nvidia.com/gpu: 4}}
)";

struct State : Folder {
    explicit State(const std::string& pods = cluster, const std::string& document = experiment) {
        write("cluster.json", pods);
        write("experiment.yaml", document);
    }
    [[nodiscard]] std::map<std::string, CsvRow> pods() const {
        (void)done(*this, {"run", "experiment.yaml", "-o", "out", "--quiet"});
        std::map<std::string, CsvRow> rows;
        for (const CsvRow& row : csv_rows(read("out/pods.csv"))) {
            rows[row.at("pod")] = row;
        }
        return rows;
    }
};

}  // namespace

TEST_CASE("initial state: pods hold their nodes from the start, until their lifetime is over",
          "[cli][initial]") {
    const auto pods = State().pods();
    REQUIRE(pods.size() == 3);
    for (const char* name : {"lab/train-0", "lab/starting"}) {
        const CsvRow& row = pods.at(name);
        CHECK(row.at("start_s") == "0");
        CHECK(row.at("wait_s") == "0");
        CHECK(row.at("finish_s") == "7200");
        CHECK(row.at("node") == "south");
    }
    CHECK(pods.at("lab/train-0").at("priority") == "5");
    // Only the other node has four free GPUs.
    CHECK(pods.at("new").at("start_s") == "0");
    CHECK(pods.at("new").at("node") == "north");
}

TEST_CASE("initial state: requests are summed as a cluster's scheduler sums them",
          "[cli][initial]") {
    const auto pods = State().pods();
    // train-0: 1.5 + 0.4 + 0.1 CPUs, and a tenth of a GiB rounded up to 107374183 bytes.
    CHECK(pods.at("lab/train-0").at("demand") == "cpu=2 memory=107374183 nvidia.com/gpu=3");
    // starting: max(2 + 1, 1, 4 + 1) CPUs.
    CHECK(pods.at("lab/starting").at("demand") == "cpu=5");
}

TEST_CASE("initial state: pods without a node join the queue where that is asked for",
          "[cli][initial]") {
    const auto pods =
        State(cluster, replaced(experiment, "lifetime: 2h}", "lifetime: 2h, pending: true}"))
            .pods();
    REQUIRE(pods.size() == 4);
    CHECK(pods.at("lab/queued").at("start_s") == "0");
    CHECK(pods.at("lab/queued").at("node") == "north");
    // The new pod's four GPUs become free again when queued has ended.
    CHECK(pods.at("new").at("start_s") == "7200");
}

TEST_CASE("initial state: the resolved experiment needs no other file, and runs to the same bytes",
          "[cli][initial]") {
    const State state;
    (void)state.pods();
    const std::string resolved = state.read("out/experiment.yaml");
    CHECK(resolved.find("unread") == std::string::npos);
    CHECK(resolved.find("Succeeded") == std::string::npos);
    const Folder other;
    other.write("again.yaml", resolved);
    (void)done(other, {"run", "again.yaml", "-o", "out", "--quiet"});
    CHECK(other.read("out/pods.csv") == state.read("out/pods.csv"));
    CHECK(other.read("out/experiment.yaml") == resolved);
}

TEST_CASE("initial state: with allocated devices, providers or shared GPUs they hold theirs",
          "[cli][initial]") {
    for (const char* profile : {"{reserve: [device-allocator]}",
                                "{filter: [allocation-candidates]}",
                                "{reserve: [gpu-sharing]}"}) {
        CAPTURE(profile);
        const std::string whole = replaced(cluster, "0.1Gi", "1Gi");  // providers count whole units
        const auto pods =
            State(whole, experiment + "  scheduler: {profile: " + profile + "}\n").pods();
        CHECK(pods.at("lab/train-0").at("start_s") == "0");
        CHECK(pods.at("lab/train-0").at("node") == "south");
        CHECK(pods.at("new").at("node") == "north");
    }
}

TEST_CASE("initial state: a node that the topology lacks", "[cli][initial]") {
    const std::string gone = replaced(
        cluster, R"("nodeName": "south", "priority")", R"("nodeName": "sooth", "priority")");
    const State state(gone);
    const Answer answer = state.berth({"run", "experiment.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "cluster.json:8:25: error: pod 'lab/train-0' runs on node 'sooth', which the topology "
          "lacks: expected a node of the topology, or lenient: true");
    CHECK(state.listing() == std::vector<std::string>{"cluster.json", "experiment.yaml"});

    const State lenient(gone, replaced(experiment, "lifetime: 2h}", "lenient: true}"));
    const Answer warned = lenient.berth({"run", "experiment.yaml", "--quiet", "-o", "out"});
    CHECK(warned.status == 0);
    CHECK(warned.first_line() ==
          "cluster.json:8:25: warning: pod 'lab/train-0' runs on node 'sooth', which the topology "
          "lacks: 1 pod like it is left out");
    CHECK(lenient.pods().size() == 2);
}

TEST_CASE("initial state: many pods that do not fit for one reason are one message",
          "[cli][initial]") {
    const std::string south = R"({"name": "south"},
   "status": {"allocatable": {"cpu": )";
    const State state(replaced(cluster, south + "\"8\"", south + "\"1\""));
    const Answer answer = state.berth({"validate", "experiment.yaml"});
    CHECK(answer.status == 2);
    const std::string like = "does not fit on node";
    const std::size_t first = answer.err.find(like);
    REQUIRE(first != std::string::npos);
    CHECK(answer.err.find(like, first + 1) == std::string::npos);
    CHECK(answer.err.find("or lenient: true (2 pods are like it)") != std::string::npos);
}

TEST_CASE("initial state: a node that is over-committed", "[cli][initial]") {
    const std::string full = replaced(cluster, R"("cpu": "4"})", R"("cpu": "6"})");
    const State state(full);
    const Answer answer = state.berth({"validate", "experiment.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "cluster.json:14:60: error: pod 'lab/starting' does not fit on node 'south' beside those "
          "before it: it asks for 7 cpu, and 6 of 8 are left: expected pods that fit together, or "
          "lenient: true");
    CHECK(State(full, replaced(experiment, "lifetime: 2h}", "lenient: true}")).pods().size() == 2);
}

TEST_CASE("initial state: what cannot be read is said where it stands", "[cli][initial]") {
    const auto first_line = [](const std::string& pods, const std::string& document) {
        return State(pods, document).berth({"run", "experiment.yaml"}).first_line();
    };
    CHECK(first_line(replaced(cluster, "1500m", "lots"), experiment) ==
          "cluster.json:10:59: error: found 'lots': expected a Kubernetes quantity such as 500m or "
          "4Gi");
    CHECK(first_line(cluster, replaced(experiment, "pods: [", "running: [")) ==
          "experiment.yaml:7:16: error: running is a list: expected a map of keys and values");
    CHECK(first_line(cluster, replaced(experiment, "file: cluster.json, lifetime", "lifetime")) ==
          "experiment.yaml:6:16: error: found a map: expected the file of the pods, such as {file: "
          "cluster.json}");
    CHECK(
        first_line("kind: Experiment", experiment).starts_with("cluster.json:1:7: error: found "));
}

TEST_CASE("initial state: a workload by itself is read without its cluster", "[cli][initial]") {
    const State state;
    state.write("workload.yaml",
                "kind: Workload\nspec: {sources: [{running: {file: cluster.json}}]}\n");
    const std::string rows = done(state, {"workload", "workload.yaml", "-f", "csv"});
    CHECK(csv_rows(rows).size() == 2);
}
