#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kueue_objects.hpp"

using namespace std::chrono_literals;
using namespace berth::tests;
using berth::core::GpuRequest;
using berth::workloads::TraceStatus;
using berth::workloads::TraceTopology;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

TEST_CASE("kueue: a Workload is a job of equal pods", "[workloads][kueue]") {
    const auto trace = read_kueue(workload(
        "train",
        R"(, "priority": -7, "maximumExecutionTimeSeconds": 90)" +
            pod_sets(pod_set(R"(, "name": "main", "minCount": 1)", "4", annotation("other", "x"))),
        conditions(condition("QuotaReserved", "True", "00:01:00") + "," +
                   condition("Admitted", "True", "00:01:00") + "," +
                   condition("PodsReady", "True", "00:01:30", "Started") + "," +
                   condition("Finished", "True", "00:11:30", "Succeeded"))));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    const auto& first = trace.jobs.front();
    CHECK(first.name == "train");
    CHECK(first.queue == "team");
    CHECK(first.name_space == "lab");
    CHECK(first.priority == -7);
    CHECK(first.members == 2);
    CHECK(first.members_min == 1);
    CHECK(first.cpu_milli == 4000);
    CHECK(first.gpus == GpuRequest{1000, 1, {}});
    CHECK(first.submit == 0s);
    CHECK(first.start == 90s);
    CHECK(first.duration() == 600s);
    CHECK(first.time_limit == 90s);
    CHECK(first.status == TraceStatus::completed);
    CHECK(first.topology == TraceTopology());
    CHECK(trace.lines == std::vector<std::uint64_t>{2});
    CHECK(trace.notes.empty());
}

TEST_CASE("kueue: when a Workload ran", "[workloads][kueue]") {
    struct Row {
        std::string what;
        std::string status;
        std::optional<berth::sim::SimTime> start;
        std::optional<berth::sim::SimTime> finish;
        TraceStatus is = TraceStatus::unknown;
    };
    const std::string admitted = condition("Admitted", "True", "00:01:00");
    const std::string finished = condition("Finished", "True", "00:10:00", "Failed");
    const std::string past = R"("accumulatedPastExecutionTimeSeconds": 60, )";
    const auto row = GENERATE_COPY(values<Row>(
        {{"it waits", "", {}, {}, TraceStatus::pending},
         {"it has quota, and checks are not ready",
          conditions(condition("QuotaReserved", "True", "00:01:00")),
          {},
          {},
          TraceStatus::pending},
         {"it runs", conditions(admitted), 60s, {}, TraceStatus::running},
         {"pods that were ready once more do not tell when it began",
          conditions(admitted + "," + condition("PodsReady", "True", "00:05:00", "Recovered")),
          60s,
          {},
          TraceStatus::running},
         {"pods that are not ready do not tell either",
          conditions(admitted + "," + condition("PodsReady", "False", "00:05:00")),
          60s,
          {},
          TraceStatus::running},
         {"it failed", conditions(admitted + "," + finished), 60s, 600s, TraceStatus::failed},
         {"it ended while it waited", conditions(finished), {}, 600s, TraceStatus::cancelled},
         {"it was evicted and waits",
          past + conditions(condition("Admitted", "False", "00:02:00") + "," +
                            condition("Evicted", "True", "00:02:00")),
          {},
          {},
          TraceStatus::pending},
         {"it gave its quota back when it ended",
          past +
              conditions(condition("Admitted", "False", "00:10:00", "Finished") + "," + finished),
          540s,
          600s,
          TraceStatus::failed},
         {"the same after it had been evicted",
          past + conditions(condition("Admitted", "False", "00:10:00", "Finished") + "," +
                            condition("Evicted", "False", "00:09:30", "QuotaReserved") + "," +
                            finished),
          570s,
          600s,
          TraceStatus::failed},
         {"an older version writes the key otherwise",
          R"("accumulatedPastExexcutionTimeSeconds": 30, )" +
              conditions(condition("Admitted", "False", "00:10:00", "Finished") + "," + finished),
          570s,
          600s,
          TraceStatus::failed}}));
    CAPTURE(row.what);
    const auto trace = read_kueue(workload("a", plain, row.status));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    CHECK(trace.jobs.front().start == row.start);
    CHECK(trace.jobs.front().finish == row.finish);
    CHECK(trace.jobs.front().status == row.is);
}

TEST_CASE("kueue: who was evicted before is counted in a note", "[workloads][kueue]") {
    const auto trace =
        read_kueue(workload("a",
                            plain,
                            R"("accumulatedPastExecutionTimeSeconds": 9, )" +
                                conditions(condition("Admitted", "True", "00:01:00"))));
    REQUIRE(trace.notes.size() == 1);
    CHECK_THAT(trace.notes.front(),
               Contains("1 Workloads had run before and were evicted: their run time is that of "
                        "their last run"));
}

TEST_CASE("kueue: Workloads that Kueue does not offer are left out, and counted",
          "[workloads][kueue]") {
    const std::string stopped = R"(, "active": false)" + plain;
    std::string unqueued = workload("d", plain, "");
    unqueued.replace(unqueued.find("\"queueName\": \"team\""), 19, "\"queueName\": \"\"");
    const auto trace =
        read_kueue(workload("a", stopped, "") + "," +
                   workload("b", stopped, R"("accumulatedPastExecutionTimeSeconds": 5)") + "," +
                   workload("c",
                            stopped,
                            conditions(condition("Admitted", "True", "00:01:00") + "," +
                                       condition("Finished", "True", "00:02:00"))) +
                   "," + unqueued);
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);  // the one that had ended, whatever it is now
    CHECK(trace.jobs.front().name == "c");
    CHECK_THAT(trace.notes,
               Equals(std::vector<std::string>{
                   "left out: 1 Workload that name no queue (kueue.x-k8s.io/queue-name): Kueue "
                   "does not admit them",
                   "left out: 2 Workloads that are not active, which Kueue does not offer; 1 of "
                   "them had run"}));
}

TEST_CASE("kueue: where the pods are to lie", "[workloads][kueue]") {
    using Asks = TraceTopology::Asks;
    const auto topology_of = [](const std::string& set) {
        const auto trace = read_kueue(workload("a", pod_sets(set), ""));
        CAPTURE(trace.error);
        REQUIRE(trace.jobs.size() == 1);
        return trace.jobs.front().topology;
    };
    CHECK(topology_of(pod_set(R"(, "topologyRequest": {"required": "x/rack"})")) ==
          TraceTopology{Asks::required, "x/rack"});
    CHECK(topology_of(pod_set(R"(, "topologyRequest": {"preferred": "x/rack",
                                   "podIndexLabel": "i", "unconstrained": null})")) ==
          TraceTopology{Asks::preferred, "x/rack"});
    CHECK(topology_of(pod_set(R"(, "topologyRequest": {"unconstrained": true})")) ==
          TraceTopology{Asks::anywhere, {}});
    CHECK(topology_of(pod_set(R"(, "topologyRequest": {"podIndexLabel": "i"})",
                              "4",
                              annotation("podset-required-topology", "x/rack"))) ==
          TraceTopology{Asks::required, "x/rack"});
    CHECK(topology_of(pod_set("", "4", annotation("podset-preferred-topology", "x/rack"))) ==
          TraceTopology{Asks::preferred, "x/rack"});
    CHECK(topology_of(pod_set("", "4", annotation("podset-unconstrained-topology", "true"))) ==
          TraceTopology{Asks::anywhere, {}});
    CHECK(topology_of(pod_set("", "4", annotation("podset-unconstrained-topology", "false"))) ==
          TraceTopology());
}

TEST_CASE("kueue: pod sets that ask for the same are one group", "[workloads][kueue]") {
    const auto trace = read_kueue(workload(
        "a",
        pod_sets(pod_set(R"(, "name": "a", "minCount": 1)") + "," + pod_set(R"(, "name": "b")") +
                 R"(, {"name": "none", "count": 0, "template": {}})"),
        ""));
    REQUIRE(trace.jobs.size() == 1);
    CHECK(trace.jobs.front().members == 4);
    CHECK(trace.jobs.front().members_min == 3);
    CHECK_THAT(trace.notes.at(0), Contains("1 Workloads have several pod sets whose pods ask for"));
}

TEST_CASE("kueue: what is wrong with a Workload is said where it stands", "[workloads][kueue]") {
    struct Row {
        std::string object;
        std::string message;
    };
    std::string nine = pod_set(R"(, "name": "p0")");
    for (int i = 1; i < 9; ++i) {
        nine += "," + pod_set(R"(, "name": "p)" + std::to_string(i) + "\"");
    }
    const std::string other = workload("a", plain, "", "", "v1alpha1");
    const auto with_sets = [](const std::string& sets) {
        return workload("a", pod_sets(sets), "");
    };
    const auto asking = [&](const std::string& request) {
        return with_sets(pod_set(R"(, "topologyRequest": {)" + request + "}"));
    };
    const std::string of_slices = annotation("podset-slice-size", "2");
    const std::vector<Row> rows{
        {other, "a Workload of 'v1alpha1': expected v1beta1 or v1beta2"},
        {workload("a", "", ""), "0 pod sets: expected 1 to 18, as Kueue has it in v1beta2"},
        {workload("a", pod_sets(nine), "", "", "v1beta1"),
         "9 pod sets: expected 1 to 8, as Kueue has it in v1beta1"},
        {with_sets(pod_set(R"(, "minCount": 3)")), "minCount 3 above count 2: expected at most"},
        {with_sets(pod_set(R"(, "minCount": 0)")),
         "minCount '0': expected a whole number from 1 to"},
        {with_sets(pod_set(R"(, "name": "a", "minCount": 1)") + "," +
                   pod_set(R"(, "name": "b", "minCount": 1)")),
         "minCount of pod set 'b' beside that of 'a': expected at most one pod set with it"},
        {with_sets(pod_set("") + "," + pod_set("")), "a second pod set 'main': expected other"},
        {with_sets(pod_set(R"(, "name": "a")") + "," + pod_set(R"(, "name": "b")", "2")),
         "pod sets 'a' and 'b' ask for different things, which is not modelled in a run"},
        {with_sets(pod_set(R"(, "name": "a", "topologyRequest": {"required": "r"})") + "," +
                   pod_set(R"(, "name": "b", "topologyRequest": {"required": "r"})")),
         "pod sets 'a' and 'b' each ask for a place by topology"},
        {with_sets(R"({"count": 0, "template": {}})"), "no pods: expected a count above 0"},
        {with_sets(R"({"count": -1, "template": {}})"), "count '-1': expected a whole number"},
        {with_sets(R"({"template": {"spec": {"initContainers": [{"resources": {"requests":
                       {"pods": 1}}}]}}})"),
         "a request of 'pods', a name that Kueue keeps for itself"},
        {asking(R"("required": "a", "preferred": "b")"),
         "preferred beside another request: expected one of required, preferred and unconstrained"},
        {asking(R"("unconstrained": "perhaps")"), "unconstrained 'perhaps': expected true or"},
        {asking(R"("required": "")"), "required is empty: expected a label of nodes"},
        {asking(R"("podSetSliceSize": 2)"), "podSetSliceSize is not modelled in a run"},
        {asking(R"("podSetGroupName": "g")"), "podSetGroupName is not modelled in a run"},
        {with_sets(pod_set("", "4", of_slices)),
         "kueue.x-k8s.io/podset-slice-size is not modelled in a run: expected pods that are "
         "placed as one"},
        {workload("a", plain, "", "," + annotation("workload-slice-replacement-for", "b")),
         "kueue.x-k8s.io/workload-slice-replacement-for: an elastic job, which is not modelled"},
        {workload("a", plain, R"("clusterName": "west")"),
         "clusterName: it ran in another cluster, by MultiKueue, which is not modelled"},
        {workload("a", R"(, "priorityClassRef": {"name": "high"})" + plain, ""),
         "priorityClassRef without a priority: expected spec.priority beside it"},
        {workload("a", R"(, "priority": 1.5)" + plain, ""), "priority '1.5': expected a whole"},
        {workload("a", R"(, "maximumExecutionTimeSeconds": 0)" + plain, ""),
         "maximumExecutionTimeSeconds '0': expected a whole number from 1 to"},
        {workload("a", plain, R"("reclaimablePods": [{"name": "b", "count": 1}])"),
         "reclaimablePods of 'b', which is no pod set of the Workload: expected main"},
        {workload("a", plain, R"("reclaimablePods": [{"name": "main", "count": 3}])"),
         "count of reclaimablePods '3': expected a whole number from 0 to 2"},
        {workload("a",
                  plain,
                  R"("admission": {"podSetAssignments": [{"name": "b"}]}, )" +
                      conditions(condition("QuotaReserved", "True", "00:00:00"))),
         "podSetAssignments of 'b', which is no pod set of the Workload"},
        {workload("a", plain, conditions(condition("Admitted", "Yes", "00:01:00"))),
         "status 'Yes' of condition Admitted: expected True, False or Unknown"},
        {workload("a", plain, conditions(R"({"type": "Finished", "status": "True"})")),
         "condition Finished without lastTransitionTime: expected one"},
        {workload("a",
                  plain,
                  conditions(condition("Admitted", "True", "00:01:00") + "," +
                             condition("Admitted", "True", "00:01:00"))),
         "condition Admitted a second time: expected one"},
        {workload("a",
                  plain,
                  conditions(condition("Admitted", "True", "00:02:00") + "," +
                             condition("Finished", "True", "00:01:00"))),
         "Finished before it was admitted: expected no earlier lastTransitionTime"},
        {workload("", plain, ""), "a Workload without metadata.name: expected one"},
        {R"({"metadata": {"name": "a"}})", "an object without a kind: expected one"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.object);
        const std::string error = error_of(row.object);
        CHECK_THAT(error, Contains(row.message));
        CHECK_THAT(error, Catch::Matchers::StartsWith("t:"));
        const auto lenient =
            read_lenient("kueue", list_of(row.object + "," + workload("b", plain, "")));
        CHECK(lenient.jobs.size() == 1);
        CHECK(lenient.skipped.count == 1);
    }
    CHECK_THAT(error_of(workload("a", pod_sets(pod_set(R"(, "minCount": 3)")), "")),
               Contains("t:2:221: error: minCount 3"));
}
