#include <catch2/catch.hpp>

#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;
using Catch::Contains;

namespace {

/// One flavor with a topology and one without, and a queue with quota for this many CPUs in each.
std::string setup_with(const std::string& plain_cpus, const std::string& tas_cpus) {
    return kueue_list({topology("default", {"example.com/topology-rack"}),
                       flavor_with_topology("tas", "gpu", "default"),
                       flavor("plain"),
                       cluster_queue("all", {{"plain", plain_cpus}, {"tas", tas_cpus}}),
                       "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: "
                       "team, namespace: lab}, spec: {clusterQueue: all}}",
                       "{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, "
                       "metadata: {name: high}, value: 9}"},
                      "");
}

const std::string setup = setup_with("3", "8");

const std::string header = "apiVersion: v1\nkind: List\nitems:\n";

/// A Workload of pods with 2 CPUs each that was admitted at once and ran for ten minutes.
std::string workload(const std::string& name,
                     int count,
                     const std::string& set = "",
                     const std::string& created = "00:00:00") {
    return R"(- apiVersion: kueue.x-k8s.io/v1beta2
  kind: Workload
  metadata: {name: )" +
           name + ", namespace: lab, creationTimestamp: 2026-01-01T" + created + R"(Z}
  spec:
    queueName: team
    podSets:
    - name: main
      count: )" +
           std::to_string(count) + "\n" + set + R"(      template:
        spec: {containers: [{resources: {requests: {cpu: 2}}}]}
  status:
    conditions:
    - {type: Admitted, status: 'True', lastTransitionTime: 2026-01-01T01:00:00Z}
    - {type: Finished, status: 'True', reason: Succeeded, lastTransitionTime: 2026-01-01T01:10:00Z}
)";
}

std::string topology(const std::string& request) {
    return "      topologyRequest: {" + request + "}\n";
}

/// Two racks of two servers with 2 CPUs each, and the jobs of a trace.
std::string experiment(const std::string& jobs = "all.yaml",
                       const std::string& kueue = "all.yaml") {
    const KueueExperiment of_trace{.workload = "    - trace: {format: kueue, file: " + jobs + "}\n",
                                   .kueue = kueue,
                                   .cluster = two_racks(2, 2)};
    return of_trace.text();
}

}  // namespace

TEST_CASE("kueue traces: one file has the queues and the jobs of a run", "[kueue][trace]") {
    const Folder folder;
    folder.write("all.yaml",
                 header + setup + workload("one", 1) +
                     workload("rack", 2, topology("required: example.com/topology-rack")) +
                     workload("anywhere", 1, topology("unconstrained: true")) +
                     workload("three", 3, topology("required: example.com/topology-rack")));
    folder.write("run.yaml", experiment());
    CHECK(done(folder, {"validate", "all.yaml"}) == "all.yaml: valid\n");
    auto jobs = jobs_of_run(folder);
    // A job that asks for a place by topology gets no quota from a flavor without one, even if that
    // comes first.
    CHECK(jobs.at("one").at("start_s") == "0");
    CHECK(jobs.at("rack").at("start_s") == "0");
    CHECK(jobs.at("rack").at("finish_s") == "600");
    CHECK(jobs.at("anywhere").at("start_s") == "0");
    CHECK(jobs.at("three").at("outcome") == "waiting");  // no rack has that much
    CHECK_THAT(jobs.at("three").at("reason"), Contains("topology"));
    const std::string resolved = folder.read("out/experiment.yaml");
    CHECK_THAT(resolved, Contains("kind: ClusterQueue"));
    CHECK_THAT(resolved, !Contains("kind: Workload\n"));  // Workloads stay in their file
}

TEST_CASE("kueue traces: the flavor of who may lie anywhere has a topology", "[kueue][trace]") {
    const auto started_beside = [](const std::string& set) {
        const Folder folder;
        const std::string one_each = setup_with("2", "2");
        folder.write("all.yaml", header + one_each + workload("a", 1) + workload("b", 1, set));
        folder.write("run.yaml", experiment());
        return jobs_of_run(folder).at("b").at("start_s");
    };
    CHECK(started_beside(topology("unconstrained: true")) == "0");
    CHECK(started_beside("") == "601");  // the plain flavor is taken until a ends
}

TEST_CASE("kueue traces: JSON is read like YAML, and fewer members may do", "[kueue][trace]") {
    const Folder folder;
    const std::string object =
        R"({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "a",
            "namespace": "lab", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"queueName": "team", "podSets": [{"name": "main", "count": 4, "minCount": 1,
              "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}}]},
            "status": {"conditions": [
              {"type": "Admitted", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
              {"type": "Finished", "status": "True", "lastTransitionTime": "2026-01-01T00:10:00Z",
               "reason": "Succeeded"}]}})";
    folder.write("jobs.json", "{\"kind\": \"List\", \"items\": [" + object + "]}");
    folder.write("all.yaml", header + setup_with("3", "0"));
    folder.write("run.yaml", experiment("jobs.json"));
    const auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("a").at("start_s") == "0");
    CHECK(jobs.at("a").at("size") == "4");
    const Answer shown = folder.berth({"workload", "jobs.json"});
    CHECK(shown.status == 0);
    CHECK_THAT(shown.err,
               Contains("jobs.json: note: read as a trace of the format kueue, since it has "
                        "Workloads of kueue.x-k8s.io"));
    CHECK_THAT(shown.out, Contains("pods            4\n"));
    CHECK(done(folder, {"validate", "jobs.json"}) == "jobs.json: valid\n");
    CHECK_THAT(done(folder, {"workload", "jobs.json", "--check"}), Contains("jobs.json: usable"));
}

TEST_CASE("kueue traces: a mistake in YAML is said at its place", "[kueue][trace]") {
    const Folder folder;
    folder.write("run.yaml", experiment());
    folder.write("all.yaml", header + setup + workload("a", 2, "      minCount: 3\n"));
    for (const char* command : {"validate", "workload"}) {
        const Answer answer = folder.berth({command, "all.yaml"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err,
                   Contains("all.yaml:18:17: error: minCount 3 above count 2: expected at most "
                            "that\n        minCount: 3\n                  ^"));
    }
    const Answer run = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains(":18:17: error: minCount 3 above count 2"));
}

TEST_CASE("kueue traces: what is left out of one is told", "[kueue][trace]") {
    const Folder folder;
    folder.write("all.yaml",
                 header + setup + workload("a", 2, "      minCount: 3\n") + workload("b", 1));
    const Answer answer = folder.berth({"workload", "all.yaml", "--from", "kueue", "--lenient"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, Contains("wrong rows that were skipped: 1; the first:"));
    CHECK_THAT(answer.out, Contains("jobs            1\n"));
}

TEST_CASE("kueue traces: a level that the cluster does not have is refused", "[kueue][trace]") {
    const Folder folder;
    folder.write("all.yaml",
                 header + setup + workload("a", 2, topology("preferred: example.com/block")));
    folder.write("run.yaml", experiment());
    const Answer run = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(run.status == 2);
    CHECK_THAT(
        run.err,
        Contains("its jobs ask for places in one 'example.com/block', which is no level of the "
                 "cluster: expected a label that ends in the name of a level (zone, rack, server), "
                 "or in scheduler.kueue, levels: {example.com/block: LEVEL}"));
    folder.write("run.yaml",
                 experiment("all.yaml", "{file: all.yaml, levels: {example.com/block: rack}}"));
    CHECK(jobs_of_run(folder).at("a").at("start_s") == "0");
}

TEST_CASE("kueue traces: whoever gives a run one learns what to do", "[kueue][trace]") {
    const Folder folder;
    folder.write("jobs.yaml", header + workload("a", 2));
    folder.write("all.yaml", header + setup + workload("a", 2));
    folder.write("kueue.yaml", header + setup);
    const Answer run = folder.berth({"run", "jobs.yaml", "-o", "out"});
    CHECK(run.status == 2);
    CHECK_THAT(run.first_line(),
               Contains("jobs.yaml: error: looks like a trace of the format kueue, since it has "
                        "Workloads of kueue.x-k8s.io, and is no document: expected kind: "
                        "Experiment, with workload: [{trace: {format: kueue, file: jobs.yaml}}]"));
    folder.write("run.yaml", experiment("all.yaml", "jobs.yaml"));
    const Answer no_queue = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(no_queue.status == 2);
    CHECK_THAT(no_queue.first_line(),
               Contains("found no object of Kueue's: expected kind: "
                        "ClusterQueue"));
    const Answer no_job = folder.berth({"workload", "kueue.yaml"});
    CHECK(no_job.status == 2);
    CHECK_THAT(no_job.err, Contains("since it is a List with objects of kueue.x-k8s.io"));
    CHECK_THAT(no_job.err, Contains("kueue.yaml has no jobs: expected some"));
}

TEST_CASE("kueue traces: the example's jobs are taken together and run", "[kueue][trace]") {
    const Folder folder;
    for (const char* name : {"exported.yaml", "workloads.yaml", "kueue.yaml"}) {
        folder.write(name, read_file(project_file(std::string("docs/examples/kueue/") + name)));
    }
    const Answer run = folder.berth({"run", "exported.yaml", "-o", "out"});
    CHECK(run.status == 0);
    CHECK_THAT(
        run.err,
        Contains("not counted twice: 1 Job, since Workloads or Jobs of the file stand for them"));
    const auto jobs = rows_by(folder, "jobs.csv", "job");
    REQUIRE(jobs.size() == 3);
    CHECK(jobs.at("job-pretrain-4f1c2").at("queue") == "research");
    CHECK(jobs.at("job-pretrain-4f1c2").at("preempted") == "1");  // product takes back its quota
    CHECK(jobs.at("finetune").at("priority") == "100");
    CHECK(jobs.at("finetune").at("start_s") == "3600");
}

TEST_CASE("trace kueue: objects that are not well-formed are no trace", "[cli][bad-input]") {
    const Folder folder;
    folder.write("job.yaml",
                 "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n"
                 "  labels: {kueue.x-k8s.io/queue-name: main}\nspec: {template: [}\n");

    const Answer answer = folder.berth({"validate", "job.yaml"});

    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Contains("job.yaml:6:"));
}
