// Kueue's configuration together with the present state of a cluster: jobs that run hold quota,
// jobs that wait keep waiting.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

const std::string gate = R"("schedulingGates": [{"name": "kueue.x-k8s.io/admission"}], )";

std::string pod(const std::string& name,
                const std::string& metadata,
                const std::string& spec,
                const std::string& phase = "Running") {
    return R"(, {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", )"
           R"("name": ")" +
           name + R"(", )" + metadata + R"(}, "spec": {)" + spec +
           R"("containers": [{"resources": {"requests": {"cpu": "1"}}}]}, "status": {"phase": ")" +
           phase + R"("}})";
}

std::string queued(const std::string& queue) {
    return R"("labels": {"kueue.x-k8s.io/queue-name": ")" + queue + R"("})";
}

const std::string runs = R"("nodeName": "n", )";

/// A Workload of a Job, with this many pods of one CPU each.
std::string workload(const std::string& job,
                     const std::string& conditions,
                     const std::string& sets =
                         R"({"name": "main", "count": 2, "template": {"spec": )"
                         R"({"containers": [{"resources": {"requests": )"
                         R"({"cpu": "1"}}}]}}})") {
    return R"(, {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": )"
           R"({"namespace": "default", "name": "job-)" +
           job + R"(-1f2e3", "ownerReferences": [{"kind": "Job", "name": ")" + job +
           R"(", "controller": true}]}, "spec": {"queueName": "a", "priority": 3, "podSets": [)" +
           sets + R"(]}, "status": {"conditions": [)" + conditions + "]}}";
}

const std::string admitted = R"({"type": "Admitted", "status": "True"})";

struct State : Folder {
    explicit State(const std::string& objects, bool with_kueue = true) {
        write("cluster.json",
              R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": )"
              R"("Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "16"}}})" +
                  objects + "]}");
        write("kueue.yaml",
              kueue_file({flavor(), cluster_queue("team-a", "3", ""), local_queue("a", "team-a")}));
        write("run.yaml",
              "kind: Experiment\nmetadata: {name: state}\nspec:\n"
              "  topology: {nodes: {format: kubernetes, file: cluster.json}}\n"
              "  workload:\n"
              "    - running: {file: cluster.json, pending: true, lifetime: {Job: 1h, otherwise: "
              "2h}}\n  until: 1d\n" +
                  std::string(with_kueue ? "  scheduler: {kueue: kueue.yaml}\n" : ""));
    }
    std::map<std::string, CsvRow> jobs() {
        const Answer answer = berth({"run", "run.yaml", "-o", "out", "-q", "--check-invariants"});
        CAPTURE(answer.err);
        CHECK(answer.status == 0);
        said = answer.err;
        std::map<std::string, CsvRow> rows;
        for (const CsvRow& row : csv_rows(read("out/jobs.csv"))) {
            rows[row.at("job")] = row;
        }
        return rows;
    }
    std::string said;
};

}  // namespace

TEST_CASE("kueue present state: pods that run hold quota by their label or their Workload",
          "[kueue][initial]") {
    const std::string of_job = R"("ownerReferences": [{"kind": "Job", "name": "old"}])";
    State state(pod("r", queued("a"), runs) + pod("old-x", of_job, runs) +
                workload("old", admitted, "") + pod("free", R"("labels": {})", runs) +
                pod("p", queued("a"), "", "Pending") + pod("q", queued("a"), "", "Pending"));
    const auto jobs = state.jobs();
    CHECK(jobs.at("default/r").at("queue") == "team-a");
    CHECK(jobs.at("default/old-x").at("queue") == "team-a");
    CHECK(jobs.at("default/free").at("queue").empty());
    // Two of three CPUs are held: one is left until the Job's pod ends.
    CHECK(jobs.at("default/p").at("start_s") == "0");
    CHECK(jobs.at("default/q").at("start_s") == "3601");
    const auto holds = csv_rows(state.read("out/admissions.csv"));
    REQUIRE(holds.size() == 4);  // in the order of their ends
    CHECK(holds.front().at("job") == "default/old-x");
    CHECK(holds.front().at("from_s") == "0");
    CHECK(holds.front().at("until_s") == "3600");

    Folder again;
    again.write("run.yaml", state.read("out/experiment.yaml"));
    (void)done(again, {"run", "run.yaml", "-o", "out", "-q"});
    CHECK(again.read("out/jobs.csv") == state.read("out/jobs.csv"));
}

TEST_CASE("kueue present state: who runs can be preempted, and keeps its quota when a node fails",
          "[kueue][initial]") {
    State state(pod("r", queued("a"), runs) + pod("s", queued("a"), runs) +
                pod("t", queued("a"), runs));
    state.write("kueue.yaml",
                kueue_file({flavor(),
                            cluster_queue("team-a",
                                          "3",
                                          "preemption: {withinClusterQueue: "
                                          "LowerPriority}"),
                            local_queue("a", "team-a")}));
    state.write("run.yaml",
                replaced(state.read("run.yaml"),
                         "  until: 1d\n",
                         "    - pods: [{name: high, type: one, at: 10m, priority: 5, quota: a, "
                         "lifetime: 10m}]\n"
                         "  types: {one: {cpu: 1}}\n  until: 1d\n"
                         "  failures: {events: [{at: 1h, node: n, event: fail}, {at: 90m, node: n, "
                         "event: repair}]}\n"));
    const auto jobs = state.jobs();
    CHECK_THAT(
        state.said,
        Catch::Contains(
            "warning: 3 pods run at the beginning, and count as started at 0 s: among equals, "
            "their order in the file decides which is preempted first, and not when they started"));
    CHECK(jobs.at("high").at("start_s") == "600");
    int preempted = 0;
    for (const char* name : {"default/r", "default/s", "default/t"}) {
        preempted += std::stoi(jobs.at(name).at("preempted"));
        CHECK(jobs.at(name).at("node_failed") == "1");
        CHECK(jobs.at(name).at("outcome") == "finished");
    }
    CHECK(preempted == 1);
}

TEST_CASE("kueue present state: a Workload that waits does so from the beginning",
          "[kueue][initial]") {
    const std::string finished = R"({"type": "Finished", "status": "True"})";
    State state(pod("r", queued("a"), runs) + pod("s", queued("a"), runs) + workload("train", "") +
                workload("gone", finished));
    const auto jobs = state.jobs();
    CHECK(jobs.size() == 3);
    const CsvRow& train = jobs.at("default/train");
    CHECK(train.at("submit_s") == "0");
    CHECK(train.at("size") == "2");
    CHECK(train.at("priority") == "3");
    CHECK(train.at("start_s") == "7201");
    CHECK_THAT(done(state, {"why", "out", "train"}), Catch::StartsWith("group default/train"));
}

TEST_CASE("kueue present state: what a Workload that waits asks for in vain is said",
          "[kueue][initial]") {
    const std::string set = R"({"name": "main", "count": 2, "topologyRequest": )"
                            R"({"podSetSliceRequiredTopology": "kubernetes.io/hostname", )"
                            R"("podSetSliceSize": 2}, "template": {"metadata": {"annotations": )"
                            R"({"gang.scheduling.koordinator.sh/mode": "Strict"}}, "spec": )"
                            R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}})";
    const std::string stopped = replaced(
        workload("stopped", ""), R"("queueName": "a")", R"("queueName": "a", "active": false)");
    State state(workload("slices", "", set) + stopped);
    const auto jobs = state.jobs();
    CHECK(jobs.size() == 1);
    CHECK_THAT(state.said,
               Catch::Contains("1 Workload is left out, which is not active: Kueue "
                               "does not offer it"));
    CHECK_THAT(state.said,
               Catch::Contains("1 Workload with podSetSliceRequiredTopology: a run does not go "
                               "by this"));
    CHECK_THAT(state.said, Catch::Contains("2 pods with gang.scheduling.koordinator.sh/mode"));
}

TEST_CASE("kueue present state: a Workload's pods ask for shares of GPUs as its template says",
          "[kueue][initial]") {
    const std::string set = R"({"name": "main", "count": 2, "template": {"metadata": )"
                            R"({"annotations": {"alibabacloud.com/gpu-milli": "500", )"
                            R"("alibabacloud.com/gpu-count": "1"}}, "spec": {"containers": )"
                            R"([{"resources": {"requests": {"cpu": "1"}}}]}}})";
    State state(workload("half", "", set));
    state.write("cluster.json",
                replaced(state.read("cluster.json"),
                         R"({"cpu": "16"})",
                         R"({"cpu": "16", "nvidia.com/gpu": "1"})"));
    state.write("run.yaml",
                replaced(state.read("run.yaml"), "  scheduler: {kueue: kueue.yaml}\n", ""));
    // Both share the only GPU.
    CHECK(state.jobs().at("default/half").at("start_s") == "0");
    CHECK(csv_rows(state.read("out/pods.csv")).at(0).at("gpus") == "0.5");
}

TEST_CASE("kueue present state: a Workload that waits asks for places by topology",
          "[kueue][initial]") {
    const auto start = [](const std::string& request) {
        const std::string zone = R"("labels": {"topology.kubernetes.io/zone": ")";
        State state("");
        state.write(
            "cluster.json",
            R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": )"
            R"("Node", "metadata": {"name": "n", )" +
                zone +
                R"(x"}}, "status": {"allocatable": {"cpu": "2"}}}, {"apiVersion": "v1", "kind": )"
                R"("Node", "metadata": {"name": "m", )" +
                zone + R"(y"}}, "status": {"allocatable": {"cpu": "2"}}})" +
                workload("train",
                         "",
                         R"({"name": "main", "count": 3, "topologyRequest": {)" + request +
                             R"(}, "template": {"spec": {"containers": [{"resources": )"
                             R"({"requests": {"cpu": "1"}}}]}}})") +
                "]}");
        const auto jobs = state.jobs();
        CAPTURE(state.said);
        return jobs.at("default/train").at("start_s");
    };
    CHECK(start(R"("required": "topology.kubernetes.io/zone")").empty());
    CHECK(start(R"("preferred": "topology.kubernetes.io/zone")") == "0");
    CHECK(start(R"("unconstrained": true)") == "0");
}

TEST_CASE("kueue present state: pods behind Kueue's gate wait for quota", "[kueue][initial]") {
    const std::string group = R"("labels": {"kueue.x-k8s.io/queue-name": "a", )"
                              R"("kueue.x-k8s.io/pod-group-name": "g"}, "annotations": )"
                              R"({"kueue.x-k8s.io/pod-group-total-count": "2"})";
    State state(pod("p", group, gate, "Pending") + pod("q", group, gate, "Pending") +
                pod("r", queued("a"), runs) + pod("s", queued("a"), runs));
    const auto jobs = state.jobs();
    CHECK(jobs.at("default/g").at("start_s") == "7201");
    CHECK_THAT(state.said, !Catch::Contains("schedulingGates"));
    // Without Kueue, nothing removes the gate.
    State without(pod("p", group, gate, "Pending") + pod("r", queued("a"), runs), false);
    CHECK(without.jobs().size() == 1);
    CHECK_THAT(without.said, Catch::Contains("1 pending pod is left out"));
    CHECK_THAT(without.said,
               Catch::Contains("warning: 1 pod in queues of Kueue, the first in 'a', and this run "
                               "has no Kueue"));
}

TEST_CASE("kueue present state: a queue that there is not keeps no pod from running",
          "[kueue][initial]") {
    State state(pod("r", queued("b"), runs));
    CHECK(state.jobs().at("default/r").at("outcome") == "finished");
    CHECK_THAT(state.said,
               Catch::Contains("warning: 1 pod in queues that are not among the objects of "
                               "scheduler.kueue, the first in 'b'"));
}

TEST_CASE("kueue present state: one file has the nodes, the pods and the queues",
          "[kueue][initial]") {
    State state(pod("r", queued("a"), runs) + workload("train", "") +
                R"(, {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", )"
                R"("metadata": {"name": "f"}}, {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": )"
                R"("ClusterQueue", "metadata": {"name": "team-a"}, "spec": {"namespaceSelector": )"
                R"({}, "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "f", )"
                R"("resources": [{"name": "cpu", "nominalQuota": 2}]}]}]}}, {"apiVersion": )"
                R"("kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": "a", )"
                R"("namespace": "default"}, "spec": {"clusterQueue": "team-a"}})");
    state.write("run.yaml", replaced(state.read("run.yaml"), "kueue.yaml", "cluster.json"));
    CHECK(state.jobs().at("default/train").at("start_s") == "7201");
}

TEST_CASE("kueue present state: a Configuration needs no name", "[kueue][initial]") {
    State state(pod("r", queued("a"), runs));
    state.write("kueue.yaml",
                state.read("kueue.yaml") +
                    "---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
                    "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n");
    CHECK(state.jobs().at("default/r").at("outcome") == "finished");
    CHECK(state.berth({"validate", "kueue.yaml"}).status == 0);
}
