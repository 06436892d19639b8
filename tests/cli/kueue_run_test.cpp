#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

/// Two teams in one cohort with 2 cores each, as administrators export them, in both versions of
/// the interface.
const std::string exported = R"(apiVersion: v1
kind: List
items:
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ClusterQueue
  metadata: {name: team-a}
  spec:
    cohortName: lab
    namespaceSelector: {}
    resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
    preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: ClusterQueue
  metadata: {name: team-b}
  spec:
    cohort: lab
    namespaceSelector: {}
    resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
  status: {pendingWorkloads: 3}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {name: a, namespace: default}
  spec: {clusterQueue: team-a}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {name: b, namespace: default}
  spec: {clusterQueue: team-b}
)";

const std::string reclaims = "preemption: {reclaimWithinCohort: Any}";

/// Objects of two such teams, the first of which takes back what it lends.
std::string two_teams() {
    return kueue_file({flavor(),
                       cluster_queue("team-a", "2", "cohortName: lab, " + reclaims),
                       cluster_queue("team-b", "2", "cohortName: lab"),
                       local_queue("a", "team-a"),
                       local_queue("b", "team-b")});
}

/// b borrows what a lends, until a asks for some of it.
const KueueExperiment teams{.pods =
                                R"(        - {name: b, type: one, count: 4, lifetime: 1h, quota: b}
        - {name: a, type: one, at: 10s, lifetime: 10m, quota: a}
)"};

double metric(const Folder& folder, const std::string& name) {
    for (const CsvRow& row : csv_rows(folder.read("out/replications.csv"))) {
        return std::stod(row.at(name));
    }
    return -1;
}

}  // namespace

TEST_CASE("kueue runs: who borrows is preempted, and comes back when there is room", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", exported);
    KueueExperiment with_others = teams;
    with_others.pods += R"(        - {name: free, type: one, count: 3, at: 20s, lifetime: 10m}
        - {name: lost, type: one, at: 30s, lifetime: 10m, quota: c}
)";
    folder.write("run.yaml", with_others.text());
    auto jobs = jobs_of_run(folder);
    // b borrows what a lends until a asks for it; the job that got quota last is preempted, and
    // among equals the first by name.
    CHECK(jobs.at("a").at("start_s") == "10");
    CHECK(jobs.at("a").at("admitted_s") == "10");
    CHECK(jobs.at("a").at("queue") == "team-a");
    CHECK(jobs.at("b-0").at("preempted") == "1");
    // a ends at 610 s; waiting jobs are considered again a second later.
    CHECK(jobs.at("b-0").at("start_s") == "611");
    for (const char* stays : {"b-1", "b-2", "b-3"}) {
        CHECK(jobs.at(stays).at("start_s") == "0");
        CHECK(jobs.at(stays).at("preempted") == "0");
    }
    // Kueue does not manage a job that names no queue.
    CHECK(jobs.at("free-2").at("start_s") == "20");
    CHECK(jobs.at("free-2").at("admitted_s").empty());
    CHECK(jobs.at("lost").at("outcome") == "rejected");
    CHECK(jobs.at("lost").at("reason") == "LocalQueue default/c doesn't exist.");
    CHECK_THAT(folder.berth({"run", "run.yaml", "-o", "again"}).err,
               Catch::Contains("warning: rejected: Kueue cannot take 1 job; jobs.csv says why of "
                               "each, of the first: lost: LocalQueue default/c doesn't exist. "
                               "Name in quota a LocalQueue"));
    CHECK(metric(folder, "workloads_admitted") == 6);
    CHECK(metric(folder, "workloads_preempted") == 1);
    CHECK(metric(folder, "queue/team-b/preempted") == 1);
    CHECK(metric(folder, "queue/team-b/admission_wait_s_max") == 601);
}

TEST_CASE("kueue runs: pods that are preempted work on during their grace", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    KueueExperiment graceful = teams;
    graceful.kueue = "{file: kueue.yaml, grace: 30s}";
    folder.write("run.yaml", graceful.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("a").at("start_s") == "40");
    CHECK(jobs.at("b-0").at("start_s") == "641");
}

TEST_CASE("kueue runs: admissions are written one after another", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    KueueExperiment slow = teams;
    slow.kueue = "{file: kueue.yaml, latency: {admit: 500ms, retry: 3s}}";
    folder.write("run.yaml", slow.text());
    auto jobs = jobs_of_run(folder);
    // Quota is held from the cycle on; pods exist once the admission is written.
    CHECK(jobs.at("b-1").at("admitted_s") == "0");
    CHECK(jobs.at("b-1").at("start_s") == "1");
    CHECK(jobs.at("b-0").at("preempted") == "1");
    CHECK(jobs.at("b-3").at("start_s") == "2");
    // a is admitted once the borrowing job has stopped: at once, as without latency.
    CHECK(jobs.at("a").at("admitted_s") == "10");
    CHECK(jobs.at("a").at("start_s") == "10.5");
    // a ends at 610.5 s; b-0 is offered again 3 s later, and starts half a second after that.
    CHECK(jobs.at("b-0").at("start_s") == "614");
    CHECK(metric(folder, "placement_wait_s_max") == 2);
}

TEST_CASE("kueue runs: latencies that are none are refused", "[kueue][bad-input]") {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"20ms", "found '20ms': expected {admit: 20ms, retry: 1s}"},
        {"{admit: soon}", "found 'soon': expected a duration"},
        {"{retry: 0s}", "found '0s': expected more than 0s: Kueue has 1s"},
        {"{admission: 20ms}", "unknown key 'admission'"},
    };
    for (const auto& [latency, message] : mistakes) {
        const Folder folder;
        folder.write("kueue.yaml", two_teams());
        KueueExperiment wrong = teams;
        wrong.kueue = "{file: kueue.yaml, latency: " + latency + "}";
        folder.write("run.yaml", wrong.text());
        CHECK_THAT(folder.berth({"run", "run.yaml", "-o", "out"}).first_line(),
                   Catch::Contains(message));
    }
}

TEST_CASE("kueue runs: who loses its server during its grace has no quota any more", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    KueueExperiment failing = teams;
    failing.more = "  failures: {events: [{at: 20s, node: server-0, event: fail}]}\n";
    failing.kueue = "{file: kueue.yaml, grace: 30s}";
    folder.write("run.yaml", failing.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("b-0").at("node_failed") == "1");
    CHECK(jobs.at("b-0").at("start_s") == "621");
    CHECK(jobs.at("a").at("start_s") == "20");
}

TEST_CASE("kueue runs: GPUs of a trace are counted whole", "[kueue]") {
    const Folder folder;
    std::string gpus = two_teams();
    for (std::size_t at = gpus.find("cpu"); at != std::string::npos; at = gpus.find("cpu", at)) {
        gpus.replace(at, 3, "nvidia.com/gpu");
    }
    folder.write("kueue.yaml", gpus);
    folder.write("jobs.csv", "name,queue,submit,run_time,gpus\nx,b,0,60,4\ny,b,10,60,1\n");
    const KueueExperiment of_trace{.capacity = "cpu: 8, nvidia.com/gpu: 8",
                                   .workload = "    - trace: {format: csv, file: jobs.csv}\n"};
    folder.write("run.yaml", of_trace.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("x").at("start_s") == "0");
    CHECK(jobs.at("y").at("start_s") == "61");  // what x gives back is offered after a second
    folder.write("jobs.csv", "name,queue,submit,run_time,gpus\nx,b,0,60,0.5\n");
    const Answer shares = folder.berth({"run", "run.yaml", "-o", "shares"});
    CHECK(shares.status == 2);
    CHECK_THAT(shares.first_line(),
               Catch::Contains("trace asks for shares of GPUs, which cannot be used with kueue: "
                               "Kueue counts whole GPUs only: expected whole GPUs"));
}

TEST_CASE("kueue runs: quota says yes where servers say no", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    // Each server has room for one pod, so that four no longer fit once two others run.
    KueueExperiment full = teams;
    full.capacity = "cpu: 1";
    full.pods = "        - {name: x, type: one, count: 2, lifetime: 2h}\n" + full.pods;
    folder.write("run.yaml", full.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("b-1").at("start_s") == "0");
    // b-2 and b-3 got quota at once, but no place. b-2 gets the place of b-0, which a preempts; b-3
    // loses its quota after half an hour, waits for a minute, then for two, and so on.
    CHECK(jobs.at("b-2").at("admitted_s") == "0");
    CHECK(jobs.at("b-2").at("start_s") == "10");
    CHECK(metric(folder, "workloads_not_ready") >= 2);
    CHECK(jobs.at("b-3").at("outcome") == "finished");
}

TEST_CASE("kueue runs: pods that fit on no server are given up, so that the run ends", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    KueueExperiment small = teams;
    small.capacity = "cpu: 500m";
    folder.write("run.yaml", small.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("b-0").at("outcome") == "dropped");
    CHECK_THAT(jobs.at("b-0").at("reason"), Catch::Contains("no other job was in their way"));
    CHECK(jobs.at("b-1").at("dropped_s") == "1800");
    // Each job was admitted once, for half an hour: b lends to a first.
    CHECK(jobs.at("a").at("outcome") == "dropped");
    CHECK(metric(folder, "workloads_not_ready") == 5);
    CHECK(metric(folder, "end_s") < 4000);
}

TEST_CASE("kueue runs: what is said of who waits is Kueue's message", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    KueueExperiment cut_off = teams;
    cut_off.more = "  until: 30s\n";
    folder.write("run.yaml", cut_off.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("b-0").at("outcome") == "waiting");
    CHECK(jobs.at("b-0").at("reason") ==
          "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
          "default, 1 more needed.");
}

TEST_CASE("kueue runs: a group may be admitted with fewer members", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    const KueueExperiment of_gang{
        .pods = "        - {name: a, type: one, at: 10s, lifetime: 10m, quota: a}\n",
        .workload = R"(    - groups:
        - document:
            kind: GroupPlacement
            spec: {group: {name: gang, size: 6, minAvailable: 3, type: one}}
          name: gang
          quota: b
          lifetime: 10m
)"};
    folder.write("run.yaml", of_gang.text());
    auto jobs = jobs_of_run(folder);
    // The gang starts with 4 members, some of them on quota lent by the other team; once that team
    // asks for one core, it starts again with 3.
    CHECK(jobs.at("gang").at("preempted") == "1");
    CHECK(jobs.at("gang").at("start_s") == "10");
    CHECK(jobs.at("gang").at("placed") == "3");
}

TEST_CASE("kueue objects are refused where they are wrong", "[kueue][bad-input]") {
    struct Mistake {
        std::string part;
        std::string by;
        std::string message;
    };
    const std::vector<Mistake> mistakes{
        {"nominalQuota: 2}]}]\n    preemption",
         "nominalQuota: two}]}]\n    preemption",
         "13:71: error: found 'two': expected a Kubernetes quantity from 0 on, such as 500m, 16 or "
         "256Gi"},
        {"nominalQuota: 2}]}]\n    preemption",
         "nominalQuota: 2, lendingLimit: 3}]}]\n    preemption",
         "13:88: error: found '3': expected no more than nominalQuota, of which it is a part"},
        {"    cohort: lab\n",
         "    cohort: lab\n    preemption: {borrowWithinCohort: {policy: LowerPriority}}\n",
         "20:38: error: borrowWithinCohort cannot be used where reclaimWithinCohort is Never: "
         "expected LowerPriority or Any there"},
        {"cohortName: lab\n    namespaceSelector: {}",
         "namespaceSelector: {}\n    flavorFungibility: {preference: PreemptionOverBorrowing}",
         "10:37: error: found 'PreemptionOverBorrowing': expected none, unless whenCanBorrow and "
         "whenCanPreempt are TryNextFlavor"},
        {"nominalQuota: 2}]}]\n  status",
         "nominalQuota: 2}, {name: memory, nominalQuota: 1Gi}]}]\n  status",
         "23:44: error: found a list: expected the resources that the group covers, in their "
         "order: cpu"},
        {"clusterQueue: team-b",
         "clusterQueue: team-c",
         "32:24: error: found 'team-c': expected a ClusterQueue among the objects"},
        {"metadata: {name: team-b}",
         "metadata: {name: team-a}",
         "15:3: error: ClusterQueue team-a a second time: expected one"},
        {"kind: LocalQueue\n  metadata: {name: a,",
         "kind: MultiKueueCluster\n  metadata: {name: a,",
         "25:3: error: kind MultiKueueCluster: expected ClusterQueue, Cohort, LocalQueue, "
         "ResourceFlavor, Topology, WorkloadPriorityClass or Configuration, since others are not "
         "modelled in a run"},
        {"kind: ResourceFlavor, metadata: {name: default}}",
         "kind: ResourceFlavor, metadata: {name: default}, spec: {topologyName: racks}}",
         "4:95: error: found a map: expected nodeLabels, as every flavor with a topology has"},
        {"    cohort: lab\n",
         "    cohort: lab\n    admissionChecks: [provision]\n",
         "20:22: error: found a list: expected none, since admission checks (such as "
         "ProvisioningRequest and MultiKueue) are not modelled"},
        {"- apiVersion: kueue.x-k8s.io/v1beta2\n  kind: LocalQueue\n  metadata: {name: a,",
         "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a,",
         "25:3: error: a ConfigMap: expected Kueue's Configuration itself, which is a text in it, "
         "under data: kubectl get configmap kueue-manager-config -n kueue-system -o "
         "jsonpath='{.data.controller_manager_config\\.yaml}' prints it"},
        {"coveredResources: [cpu]",
         "coveredResources: [cpu, cpu]",
         "12:31: error: found 'cpu': expected a resource that no other group covers"},
    };
    for (const Mistake& mistake : mistakes) {
        const Folder folder;
        folder.write("kueue.yaml", replaced(exported, mistake.part, mistake.by));
        folder.write("run.yaml", teams.text());
        const Answer answer = folder.berth({"run", "run.yaml", "-o", "out"});
        INFO(answer.err);
        CHECK(answer.first_line() == "kueue.yaml:" + mistake.message);
    }
}

TEST_CASE("kueue runs: what objects say without effect is said", "[kueue]") {
    const Folder folder;
    folder.write("run.yaml", teams.text());
    const auto said = [&](const std::string& objects) {
        folder.write("kueue.yaml", objects);
        const Answer answer = folder.berth({"run", "run.yaml", "-o", "out"});
        CHECK(answer.status == 0);
        return answer.err;
    };
    CHECK_THAT(said(two_teams()), !Catch::Contains("warning"));
    const std::string weighs =
        replaced(two_teams(), "cohortName: lab", "cohortName: lab, fairSharing: {weight: 2}");
    CHECK_THAT(said(weighs),
               Catch::Contains("kueue.yaml:3:1: warning: ClusterQueue team-a: its "
                               "fairSharing.weight has no effect, since no Configuration among the "
                               "objects turns fairSharing on: add it"));
    CHECK_THAT(said(weighs + "---\n" + configuration("fairSharing: {}") + "\n"),
               !Catch::Contains("warning"));
    const std::string cohort =
        "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: lab}, spec: "
        "{fairSharing: {weight: 2}}}\n";
    CHECK_THAT(said(two_teams() + cohort),
               Catch::Contains("kueue.yaml:11:1: warning: Cohort lab: its fairSharing.weight"));
    CHECK_THAT(said(replaced(two_teams(),
                             "resourceGroups: [",
                             "resourceGroups: [{coveredResources: [nvidia.com/gpus], flavors: "
                             "[{name: other, resources: [{name: nvidia.com/gpus, nominalQuota: "
                             "1}]}]}, ") +
                    "---\n" + flavor("other") + "\n"),
               Catch::Contains("kueue.yaml:3:1: warning: ClusterQueue team-a has quota of "
                               "nvidia.com/gpus, which no server has: no job of the run uses it"));
}

TEST_CASE("kueue runs: what they do not have is refused", "[kueue][bad-input]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    folder.write("run.yaml", teams.text() + "    profile: {reserve: [gpu-sharing]}\n");
    const Answer shared = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(shared.err.find("shared GPUs cannot be used with kueue: Kueue counts whole GPUs only: "
                          "expected pods that ask for whole GPUs") != std::string::npos);
    folder.write("run.yaml", teams.text() + "    python: mine.py:Mine\n");
    CHECK(folder.berth({"run", "run.yaml", "-o", "out"}).status == 2);
    CHECK_FALSE(exists(folder.path() / "out"));
}

TEST_CASE("kueue runs: berth why tells Kueue's message", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    folder.write("run.yaml", teams.text());
    (void)done(folder, {"run", "run.yaml", "-o", "out"});
    const std::string why = done(folder, {"why", "out", "b-0"});
    INFO(why);
    CHECK(why.find("stopped at admission") != std::string::npos);
    CHECK(why.find("couldn't assign flavors to pod set main: insufficient unused quota for cpu in "
                   "flavor default, 1 more needed") != std::string::npos);
}

TEST_CASE("kueue runs: workloads that preempt each other in turn come to an end", "[kueue]") {
    const Folder folder;
    // One team borrows by preempting jobs of lower priority; the other reclaims what it lends.
    folder.write("kueue.yaml",
                 kueue_file({flavor(),
                             cluster_queue("team-a",
                                           "1",
                                           "cohortName: lab, preemption: {reclaimWithinCohort: "
                                           "Any, borrowWithinCohort: {policy: LowerPriority}, "
                                           "withinClusterQueue: LowerPriority}"),
                             cluster_queue("team-b", "2", "cohortName: lab, " + reclaims),
                             local_queue("a", "team-a"),
                             local_queue("b", "team-b")}));
    const KueueExperiment in_turn{.workload = R"(    - groups:
        - document:
            kind: GroupPlacement
            spec: {group: {name: borrows, size: 3, minAvailable: 2, type: one}}
          quota: a
          priority: 1
          lifetime: 10m
        - document:
            kind: GroupPlacement
            spec: {group: {name: reclaims, size: 3, minAvailable: 2, type: one}}
          quota: b
          at: 1s
          lifetime: 10m
)"};
    folder.write("run.yaml", in_turn.text());
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("borrows").at("outcome") == "dropped");
    CHECK(jobs.at("borrows").at("reason") ==
          "given up after 1000 preemptions: workloads preempt each other in turn.");
    CHECK(jobs.at("borrows").at("dropped_s") == "100");
    CHECK(jobs.at("reclaims").at("outcome") == "finished");
    CHECK(jobs.at("reclaims").at("dropped_s").empty());
}
