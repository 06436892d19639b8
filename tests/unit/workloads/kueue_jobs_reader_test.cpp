#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kueue_objects.hpp"

using namespace std::chrono_literals;
using namespace berth::tests;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
TEST_CASE("kueue: a Job with a queue is a job", "[workloads][kueue]") {
    const auto trace = read_kueue(
        batch_job(
            "a",
            R"(, "annotations": {"kueue.x-k8s.io/job-min-parallelism": "2"})",
            R"(, "parallelism": 5, "completions": 4, "activeDeadlineSeconds": 30)",
            R"("startTime": "2026-01-01T00:00:10Z", "completionTime": "2026-01-01T00:01:10Z")") +
        "," +
        batch_job("b",
                  "",
                  "",
                  R"("startTime": "2026-01-01T00:00:10Z", "conditions": [{"type": "Failed",
               "status": "True", "reason": "DeadlineExceeded",
               "lastTransitionTime": "2026-01-01T00:00:30Z"}])") +
        "," + batch_job("c", "", R"(, "suspend": true)") + "," +
        batch_job("d", "", "", R"("startTime": "2026-01-01T00:00:10Z")"));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 4);
    CHECK(trace.jobs[0].members == 4);
    CHECK(trace.jobs[0].members_min == 2);
    CHECK(trace.jobs[0].queue == "team");
    CHECK(trace.jobs[0].name_space == "lab");
    CHECK(trace.jobs[0].cpu_milli == 500);
    CHECK(trace.jobs[0].duration() == 60s);
    CHECK(trace.jobs[0].time_limit == 30s);
    CHECK(trace.jobs[0].status == TraceStatus::completed);
    CHECK(trace.jobs[1].members == 1);
    CHECK(trace.jobs[1].status == TraceStatus::timed_out);
    CHECK(trace.jobs[2].status == TraceStatus::pending);
    CHECK(trace.jobs[3].status == TraceStatus::running);
}

TEST_CASE("kueue: the priority of a Job is that of its class", "[workloads][kueue]") {
    const std::string of_high = R"(, "kueue.x-k8s.io/priority-class": "high")";
    const std::string high =
        R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass",
            "metadata": {"name": "high"}, "value": 9})";
    const std::string usual =
        R"({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": "usual"}, "value": 4, "globalDefault": true})";
    const auto trace =
        read_kueue(batch_job("a", "", "", "", of_high) + "," + batch_job("b", "", "") + "," + high +
                   "," + usual + "," + queued_pod("c", "", ""));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 3);
    CHECK(trace.jobs[0].priority == 9);
    CHECK(trace.jobs[1].priority == 4);
    CHECK(trace.jobs[2].priority == 3);  // as the pod itself says
    CHECK_THAT(error_of(batch_job("a", "", "", "", of_high)),
               Contains("t:2:1: error: Job 'a' has the priority of WorkloadPriorityClass 'high', "
                        "which is not in the file: expected it there too"));
}

TEST_CASE("kueue: what is wrong with a Job is said where it stands", "[workloads][kueue]") {
    const std::string least = "kueue.x-k8s.io/job-min-parallelism";
    CHECK_THAT(error_of(batch_job("a", "", R"(, "parallelism": 0)")),
               Contains("no pods: expected"));
    CHECK_THAT(error_of(batch_job("a", "", R"(, "completions": 0)")),
               Contains("no pods: expected"));
    CHECK_THAT(error_of(batch_job(
                   "a", "," + annotation("job-min-parallelism", "2"), R"(, "parallelism": 2)")),
               Contains(least + " '2': expected a whole number from 1 to 1"));
    CHECK_THAT(error_of(batch_job("a", "," + annotation("job-min-parallelism", "1"), "")),
               Contains(least + " of a single pod: expected several pods"));
    CHECK_THAT(error_of(batch_job("a", "," + annotation("elastic-job", "true"), "")),
               Contains("kueue.x-k8s.io/elastic-job: an elastic job, which is not modelled"));
    CHECK_THAT(error_of(batch_job("a", "", R"(, "managedBy": "kueue.x-k8s.io/multikueue")")),
               Contains("managedBy MultiKueue: it ran in another cluster"));
    CHECK_THAT(error_of(batch_job("a",
                                  "",
                                  "",
                                  R"("startTime": "2026-01-01T00:00:10Z",
                               "completionTime": "2026-01-01T00:00:09Z")")),
               Contains("ends before it starts"));
    CHECK_THAT(error_of(queued_pod("a", "", "", "1", R"("phase": "Gone")")),
               Contains("unknown phase 'Gone': expected Pending"));
    CHECK_THAT(read_trace("kueue", "").error, Contains("t:1:1: error: empty: expected objects"));
    CHECK_THAT(error_of("7"), Contains("no object: expected a job"));
}

TEST_CASE("kueue: the pods of a group are one job", "[workloads][kueue]") {
    const std::string labels = R"(, "kueue.x-k8s.io/pod-group-name": "g")";
    const auto of_three = "," + annotation("pod-group-total-count", "3");
    const auto ended = [](const std::string& start, const std::string& end) {
        return R"("phase": "Succeeded", "startTime": "2026-01-01T00:)" + start +
               R"(Z", "containerStatuses": [{"state": {"terminated": {"finishedAt": )"
               R"("2026-01-01T00:)" +
               end + "Z\"}}}]";
    };
    const auto trace =
        read_kueue(queued_pod("p0", of_three, labels, "1", ended("01:00", "05:00")) + "," +
                   queued_pod("alone", "", "", "2") + "," +
                   queued_pod("p1", of_three, labels, "1", ended("01:10", "05:10")) + "," +
                   queued_pod("p2", of_three, labels, "1", ended("01:20", "04:00")));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    CHECK(trace.jobs[0].name == "g");
    CHECK(trace.jobs[0].members == 3);
    CHECK(trace.jobs[0].cpu_milli == 1000);
    CHECK(trace.jobs[0].start == 60s);
    CHECK(trace.jobs[0].finish == 310s);
    CHECK(trace.jobs[0].status == TraceStatus::completed);
    CHECK(trace.jobs[1].name == "alone");
    CHECK(trace.jobs[1].members == 1);
    CHECK_THAT(error_of(queued_pod("p0", of_three, labels) + "," +
                        queued_pod("p1", of_three, labels, "2")),
               Contains("the pods of group 'g' ask for different things"));
    CHECK_THAT(error_of(queued_pod("p0", "", labels)),
               Contains("the pods of group 'g' do not agree on a number above 0"));
    CHECK_THAT(error_of(queued_pod("p0", of_three, labels) + "," +
                        queued_pod("p1", "," + annotation("pod-group-total-count", "2"), labels)),
               Contains("the pods of group 'g' do not agree on a number above 0"));
}

TEST_CASE("kueue: what Workloads stand for is not counted twice", "[workloads][kueue]") {
    const auto owner = [](const std::string& kind, const std::string& name) {
        return R"(, "ownerReferences": [{"kind": ")" + kind + R"(", "name": ")" + name +
               R"(", "uid": "uid-)" + name + R"(", "controller": true}])";
    };
    const auto uid = [](const std::string& name) { return R"(, "uid": "uid-)" + name + "\""; };
    const std::string in_group = R"(, "kueue.x-k8s.io/pod-group-name": "g")";
    const std::string objects =
        batch_job("a", uid("a"), "") + "," + queued_pod("a-0", owner("Job", "a"), "") + "," +
        batch_job("b", uid("b"), "") + "," + queued_pod("b-0", owner("Job", "b"), "") + "," +
        queued_pod("lost-0", owner("Job", "lost"), "") + "," +
        queued_pod("c-0", owner("ReplicaSet", "c"), "") + "," +
        queued_pod("g-0", uid("g-0"), in_group) + "," +
        object("kubeflow.org/v1", "PyTorchJob", "t", uid("t"), R"("spec": {})") + "," +
        object("ray.io/v1", "RayJob", "r", uid("r"), R"("spec": {})");
    const auto trace =
        read_kueue(objects + "," + workload("job-a-12345", plain, "", owner("Job", "a")) + "," +
                   workload("g", plain, "", owner("Pod", "g-0")) + "," +
                   workload("t-1", plain, "", owner("PyTorchJob", "t")));
    REQUIRE(trace.error.empty());
    std::vector<std::string> names;
    for (const auto& one : trace.jobs) {
        names.push_back(one.name);
    }
    CHECK_THAT(names, Equals(std::vector<std::string>{"job-a-12345", "g", "t-1", "b", "c-0"}));
    CHECK_THAT(
        trace.notes,
        Equals(std::vector<std::string>{
            "not counted twice: 1 Job and 3 Pods, since Workloads or Jobs of the file stand for "
            "them",
            "left out: 1 Pod that belong to objects that are not in the file: expected their "
            "Workloads there too",
            "left out: 1 RayJob that name a queue, and have no Workload in the file: expected "
            "their Workloads there too"}));
}

TEST_CASE("kueue: what else is in the file is passed over, and what is not counted is told",
          "[workloads][kueue]") {
    const auto trace = read_kueue(
        R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue",
            "metadata": {"name": "team"}, "spec": {}},
           {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "free"}},
           {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "free"}},)" +
        workload("a",
                 pod_sets(R"({"template": {"spec": {"nodeSelector": {"pool": "big"}, "containers": [
                     {"resources": {"requests": {"ephemeral-storage": "1Gi"}}}]}}})"),
                 ""));
    REQUIRE(trace.error.empty());
    CHECK(trace.jobs.size() == 1);
    CHECK_THAT(trace.notes,
               Equals(std::vector<std::string>{
                   "left out: 1 Job and 1 Pod that name no queue (kueue.x-k8s.io/queue-name): "
                   "Kueue does not admit them",
                   "1 jobs ask for ephemeral-storage, which is not counted: of a trace, a run "
                   "knows cpu, memory and nvidia.com/gpu"}));
}

TEST_CASE("kueue: objects one behind the other, and a file that is cut short",
          "[workloads][kueue]") {
    const std::string one = workload("a", plain, "");
    CHECK(read_trace("kueue", one + "\n" + one + "\r\n").jobs.size() == 2);
    CHECK(read_trace("kueue", list_of(one) + list_of(one)).jobs.size() == 2);
    const std::string cut = list_of(one + "," + one);
    CHECK_THAT(read_trace("kueue", cut.substr(0, cut.size() - 60)).error,
               Contains("the text ends within an element"));
    // A job that was kept for the end of the file is given all the same.
    const std::string jobs = list_of(batch_job("a", "", "") + "," + batch_job("b", "", ""));
    const auto lenient = read_lenient("kueue", jobs.substr(0, jobs.size() - 60));
    CHECK(lenient.jobs.size() == 1);
    CHECK(lenient.skipped.count == 1);
}

TEST_CASE("kueue: a Configuration, which has no name, may stand in the file of a trace",
          "[workloads][kueue]") {
    const auto trace =
        read_kueue(R"({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"},)" +
                   batch_job("a", "", "", R"("startTime": "2026-01-01T00:00:10Z")"));
    CHECK(trace.error.empty());
    CHECK(trace.jobs.size() == 1);
}
