#include "experiments/program/report/answer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "experiments/program/report/what_limits.hpp"
#include "experiments/program/results/question.hpp"

using namespace berth::report;

namespace {

MetricSummary metric(const char* name, double mean, double ci95 = 0) {
    MetricSummary made;
    made.name = name;
    made.mean = mean;
    made.ci95 = ci95;
    return made;
}

/// A sweep with two axes, load and policy; the waits are by point (load slow, policy fast) and
/// replication.
SweepDirectory invented_sweep(std::vector<double> waits) {
    SweepDirectory sweep;
    sweep.axes = {{"load", {"0.1", "0.9"}, {0.1, 0.9}}, {"policy", {"fifo", "backfill"}, {}}};
    sweep.points = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    sweep.keys = {"a", "b", "c", "d"};
    sweep.finished = {true, true, true, true};
    sweep.replications = {0, 1};
    sweep.seeds = {"1", "2"};
    sweep.metrics = {{"wait_s_mean", std::move(waits)}};
    return sweep;
}

}  // namespace

TEST_CASE("answer: an experiment in words", "[report][answer]") {
    const Setup setup = read_setup(
        "spec:\n  workload:\n"
        "    - background: {load: 0.4}\n"
        "    - groups: [{document: {spec: {group: {size: 64}}}}]\n"
        "    - trace: {format: openb, file: /a/b/pods.csv}\n"
        "  scheduler:\n    retry: never\n    profile:\n      score: [{name: best-fit, weight: 2}, "
        "random]\n"
        "      reserve: [gpu-sharing]\n");
    CHECK(setup.workload ==
          "one group of 64 and the jobs of the trace pods.csv beside a random background of load "
          "0.4");
    CHECK(setup.policy ==
          "placed by best-fit (weight 2) and random, devices by gpu-sharing; what does not fit is "
          "dropped");
    CHECK(read_setup("{no yaml").workload.empty());
    const Setup usual = read_setup("spec: {workload: [{generate: {arrivals: {mean: 5m}}}]}");
    CHECK(usual.workload == "pods, one every 5 min on average");
    CHECK(read_setup("spec: {workload: [{generate: {arrivals: 5m}}]}").workload ==
          "pods, one every 5 min");
    CHECK(usual.policy == "placed by least-allocated, in the order fifo");
    const auto policy = [](const std::string& scheduler) {
        return read_setup("spec: {scheduler: " + scheduler + "}").policy;
    };
    CHECK(policy("{kueue: k.yaml}") ==
          "admitted by Kueue, placed by least-allocated, in the order fifo");
    CHECK(policy("{profile: {score: []}}") == "placed by first-fit, in the order fifo");
    CHECK(policy("{profile: {placementGroup: {solver: exact}}}") ==
          "placed by the exact solver, in the order fifo");
}

TEST_CASE("answer: the question names workload, cluster, policy and replications",
          "[report][answer]") {
    RunDirectory run;
    run.setup = {"pods, one every 5 min on average", "placed by best-fit, in the order fifo"};
    run.replications = 10;
    Cluster cluster;
    cluster.levels = {"rack"};
    cluster.domains = {{{"r0", 0}, {"r1", 0}}};
    cluster.resources = {"cpu", "nvidia.com/gpu"};
    cluster.cells = {{"s0", 0, 1, {64, 8}, {0, 0}}, {"s1", 1, 1, {64, 8}, {0, 0}}};
    cluster.servers = 2;
    run.cluster = cluster;
    CHECK(question(run) ==
          "Pods, one every 5 min on average, on 2 servers in 2 racks with 16 GPUs, placed by "
          "best-fit, in the order fifo. 10 replications.");
}

TEST_CASE("answer: what limits names the quota and the reason that most pods have",
          "[report][answer]") {
    RunDirectory run;
    run.quota_metrics = {metric("quota/a/wait_s_mean", 30), metric("quota/b/wait_s_mean", 600)};
    run.pods.outcomes = {{"waiting", 5}, {"finished", 4}};
    run.pods.reasons = {{"0/2 nodes are available: 2 Insufficient cpu.", 4}, {"quota b: 1 > 0", 1}};
    const auto limits = what_limits(run);
    REQUIRE(limits.size() == 2);
    CHECK(limits[0] == "Of the quotas, pods of b waited longest: 10 min on average.");
    CHECK(limits[1] ==
          "5 of 9 pods did not run; the most common reason, of 4 of them: Insufficient cpu.");
}

TEST_CASE("answer: one replication says that chance is not known", "[report][answer]") {
    RunDirectory run;
    run.replications = 1;
    run.metrics = {metric("cpu_utilization", 0.5)};
    run.warnings = {"beware"};
    const auto answer = run_answer(run);
    CHECK(answer["intervals"].get<std::string>().find("One replication") == 0);
    CHECK(answer["warnings"][0] == "beware");
    run.replications = 5;
    run.metrics = {metric("cpu_utilization", 0.5, 0.1)};
    CHECK(run_answer(run)["intervals"].get<std::string>().find("5 replications") !=
          std::string::npos);
}

TEST_CASE("answer: runs side by side have the verdicts of their comparison", "[report][answer]") {
    RunDirectory first;
    first.directory = "a";
    first.metrics = {metric("wait_s_mean", 100, 10), metric("makespan_s", 500)};
    RunDirectory second = first;
    second.directory = "b";
    second.metrics[0].mean = 40;
    const nlohmann::ordered_json comparison = {{"comparisons",
                                                {{{"run", "b"},
                                                  {"place", 1},
                                                  {"pairs", 5},
                                                  {"metrics",
                                                   {{{"metric", "wait_s_mean"},
                                                     {"difference", -60},
                                                     {"ci95", 5},
                                                     {"verdict", "better"}}}}}}}};
    const auto verdicts = comparison_answer({first, second}, comparison);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0]["paired"] == true);
    CHECK(verdicts[0]["rows"][0]["difference"] == "-60.0 ± 5.0 s");
    CHECK(verdicts[0]["rows"][0]["verdict"] == "better");
    // Runs without a common seed show their difference but no verdict.
    const auto alone = comparison_answer({first, second}, nullptr)[0];
    CHECK(alone["paired"] == false);
    CHECK(alone["rows"][0]["difference"] == "-60 s");
    CHECK(alone["rows"][0]["verdict"] == "");
    auto one_pair = comparison;
    one_pair["comparisons"][0]["pairs"] = 1;
    one_pair["comparisons"][0]["metrics"][0]["ci95"] = nullptr;
    CHECK(comparison_answer({first, second}, one_pair)[0]["paired"] == false);
    CHECK(comparison_answer({first, second}, one_pair)[0]["rows"][0]["difference"] == "-60 s");
}

TEST_CASE("answer: a sweep's best point, and how far the next one is", "[report][answer]") {
    const auto answer = sweep_answer(invented_sweep({30, 32, 10, 12, 90, 94, 50, 54}));
    REQUIRE(answer["numbers"].size() == 1);
    const auto& best = answer["numbers"][0];
    CHECK(best["at"] == "load 0.1, policy backfill");
    CHECK(best["next"] == "load 0.1, policy fifo");
    CHECK(best["by"] == "20 s");
    CHECK(best["value"] == "11");
    CHECK(best["interval"] == "13");
    CHECK(best["doubt"] == "");
    REQUIRE(answer["averages"].size() == 1);
    CHECK(answer["averages"][0].get<std::string>().find("lowest with policy backfill") !=
          std::string::npos);
}

TEST_CASE("answer: a value that lacks points is left out of an average, by name",
          "[report][answer]") {
    SweepDirectory sweep = invented_sweep({30, 32, 10, 12, 90, 94, 50, 54});
    sweep.axes[1].values.push_back("fcfs");
    sweep.points.push_back({0, 2});
    sweep.keys.push_back("e");
    sweep.finished.push_back(true);
    sweep.metrics[0].values.insert(sweep.metrics[0].values.end(), {1, 2});
    const auto answer = sweep_answer(sweep);
    CHECK(answer["numbers"][0]["at"] == "load 0.1, policy fcfs");
    CHECK_THAT(answer["averages"][0].get<std::string>(),
               Catch::EndsWith(" Without fcfs, which lacks points that the others have."));
}

TEST_CASE("answer: a sweep says what its points warn of", "[report][answer]") {
    SweepDirectory sweep = invented_sweep({30, 32, 10, 12, 90, 94, 50, 54});
    sweep.warnings = {"2 of 4 points have doubtful means; the first, load 0.1: short: ..."};
    CHECK(sweep_answer(sweep)["warnings"] == sweep.warnings);
}

TEST_CASE("answer: a sweep's difference within its interval may be chance", "[report][answer]") {
    const auto answer = sweep_answer(invented_sweep({10, 30, 18, 20, 90, 94, 50, 54}));
    CHECK(answer["numbers"][0]["doubt"] == "; chance may explain it");
    const auto clear = sweep_answer(invented_sweep({30, 35, 10, 12, 90, 94, 50, 54}));
    CHECK(clear["numbers"][0]["by"] == "22 ± 19 s");
    CHECK(clear["numbers"][0]["doubt"] == "");
}

TEST_CASE("answer: nobody chooses the load, so that no load is the best", "[report][answer]") {
    SweepDirectory sweep = invented_sweep({30, 32, 10, 12, 90, 94, 50, 54});
    sweep.axes[0].work = {"0.1", "0.9"};
    const auto answer = sweep_answer(sweep);
    REQUIRE(answer["numbers"].size() == 1);
    CHECK(answer["numbers"][0]["at"] == "policy backfill");  // mean of 11 and 52
    CHECK(answer["numbers"][0]["value"] == "32");
    CHECK(answer["given"] == "load");
    CHECK(answer["averages"].empty());  // the number already says it
    sweep.axes[1].work = {"a", "b"};
    const auto nothing = sweep_answer(sweep);
    CHECK(nothing["numbers"].empty());
    CHECK_THAT(nothing["nothing"].get<std::string>(),
               Catch::StartsWith("Every axis changes the work"));
}

TEST_CASE("answer: of points on unlike clusters none is best in utilization", "[report][answer]") {
    SweepDirectory sweep = invented_sweep({30, 32, 10, 12, 90, 94, 50, 54});
    sweep.metrics.push_back({"cpu_utilization", {.5, .5, .6, .6, .7, .7, .8, .8}});
    CHECK(sweep_answer(sweep)["numbers"].size() == 2);
    sweep.axes[0].cluster = {"6", "7"};
    const auto numbers = sweep_answer(sweep)["numbers"];
    REQUIRE(numbers.size() == 1);
    CHECK(numbers[0]["metric"] == "wait_s_mean");
}

TEST_CASE("answer: a metric that is equal at all points has no best one", "[report][answer]") {
    const auto answer = sweep_answer(invented_sweep({5, 5, 5, 5, 5, 5, 5, 5}));
    CHECK(answer["numbers"].empty());
}

TEST_CASE("answer: the largest cause of idle GPUs is named with its share", "[report][answer]") {
    RunDirectory run;
    run.metrics = {metric("makespan_s", 1),
                   metric("gpu_time_idle_no_demand", 0.1),
                   metric("gpu_time_idle_quota", 0.25)};
    REQUIRE(what_limits(run).size() == 1);
    CHECK(what_limits(run)[0] ==
          "GPUs are idle 35 % of the time; for the largest part of it (25 % of all GPU time) the "
          "quota of the jobs that wait does not admit them.");
    // Without a makespan there is no time during which GPUs could be idle.
    run.metrics.erase(run.metrics.begin());
    CHECK(what_limits(run).empty());
}

TEST_CASE("answer: a number that is only bounded from below is more than that",
          "[report][answer]") {
    RunDirectory run;
    run.metrics = {metric("makespan_s", 1)};
    MetricSummary wait;
    wait.name = "wait_s_p95";
    wait.at_least = 86400;
    run.metrics.push_back(wait);
    const auto numbers = run_answer(run)["numbers"];
    CHECK(numbers[0]["value"] == "> 24");
    CHECK(numbers[0]["unit"] == "h");
    CHECK(numbers[0]["title"] == "95th percentile of pods' waits");
}

TEST_CASE("answer: what limits names the level that hard constraints ask for", "[report][answer]") {
    RunDirectory run;
    run.metrics = {metric("makespan_s", 1), metric("gpu_time_idle_split", 0.2)};
    CHECK_THAT(what_limits(run)[0], Catch::Contains("inside a server as a waiting job demands"));
    run.setup = read_setup(
        "spec: {workload: [{generate: {group: {spec: {constraints: "
        "[{level: rack, soft: false}, {level: server, soft: true}]}}}}]}");
    CHECK_THAT(what_limits(run)[0],
               Catch::EndsWith("not in one rack, as a hard constraint of the waiting jobs "
                               "demands."));
}

TEST_CASE("answer: what limits says that the cluster is full", "[report][answer]") {
    RunDirectory run;
    run.metrics = {metric("makespan_s", 1), metric("gpu_time_allocated", 0.986)};
    CHECK(what_limits(run).empty());
    run.pods.outcomes = {{"waiting", 5}};
    CHECK(what_limits(run)[0] ==
          "The cluster is full: 98.6 % of all GPU time is used while pods wait.");
    run.metrics = {metric("makespan_s", 1),
                   metric("gpu_time_allocated", 0.686),
                   metric("gpu_time_redone", 0.1),
                   metric("gpu_time_checkpoint", 0.15),
                   metric("gpu_time_restart", 0.05)};
    CHECK(what_limits(run)[0] ==
          "The cluster is full: 98.6 % of all GPU time is used while pods wait.");
}

TEST_CASE("answer: the window that the numbers are of, with its rule", "[report][answer]") {
    RunDirectory run;
    CHECK(run_answer(run)["window"] == "");
    run.window = {
        .from_s = 172'800, .to_s = std::numeric_limits<double>::infinity(), .rule = "fixed"};
    CHECK(run_answer(run)["window"] ==
          "The numbers cover the time from 2 d to the end of the run, as "
          "spec.record says.");
    run.window = {.from_s = 49'478, .to_s = 1'381'650, .rule = "mser-5"};
    CHECK(run_answer(run)["window"] ==
          "The numbers cover the time from 13.7 h to 16 d: the time before is "
          "warm-up by rule MSER-5.");
}

TEST_CASE("answer: what was expected and does not hold is said", "[report][answer]") {
    RunDirectory run;
    run.claims = {{"wait_s_p95", "at most 600", "> 3351", false}, {"any", "1", "1", true}};
    run.claims[0].is_expectation = true;
    const auto said = run_answer(run)["broken"];
    REQUIRE(said.size() == 1);
    CHECK(said[0] == "wait_s_p95 (s): expected at most 600, measured > 3351");
}
