#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// A thousand pods that each need one of 32 whole servers, and run for the given time.
std::string thousand_pods(const std::string& name, const std::string& more) {
    return R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: )" +
           name + R"(}
spec:
  replications: 2
  topology:
    spec:
      levels: [{name: server, count: 32}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 1}}}
  types: {p: {cpu: 1}}
  workload:
    - pods: [{type: p, name: pod, count: 1000, at: 0s)" +
           more;
}

const std::string most_wait = ", lifetime: 100h}]\n  until: 1h\n";

nlohmann::json summary(const Folder& folder, const std::string& run) {
    return nlohmann::json::parse(folder.read(run + "/summary.json"));
}

}  // namespace

TEST_CASE("censoring: 968 of 1000 pods that still wait leave no p95, and expect is missed",
          "[cli][censoring]") {
    const Folder folder;
    folder.write("e.yaml", thousand_pods("e", most_wait) + "  expect: {wait_s_p95: {max: 600}}\n");
    const Answer answer = folder.berth({"run", "e.yaml", "-o", "out", "--quiet"});
    CHECK(answer.status == 1);
    CHECK(answer.err ==
          "wait_s_p95: expected at most 600, measured > 3600, 96.8 % never started\n");
    const auto metrics = summary(folder, "out")["metrics"];
    for (const char* name : {"wait_s_p95", "job_wait_s_p95"}) {
        INFO(name);
        CHECK(metrics[name]["mean"].is_null());
        CHECK(metrics[name]["ci95"].is_null());
        CHECK(metrics[name]["at_least"] == 3600);
        CHECK(metrics[name]["never_started"] == 0.968);
        CHECK(metrics[name]["n"] == 2);
    }
    CHECK(metrics["wait_s_mean"]["mean"] == 0);
    CHECK(metrics["wait_s_mean"]["never_started"] == 0.968);
    CHECK(metrics["wait_s_mean"]["at_least"].get<double>() == Approx(0.968 * 3600));
    CHECK(metrics["jct_s_mean"]["mean"].is_null());
    CHECK(metrics["makespan_s"]["at_least"] == 3600);

    bool found = false;
    for (const CsvRow& row : csv_rows(folder.read("out/censored.csv"))) {
        if (row.at("metric") == "wait_s_p95" && row.at("replication") == "1") {
            found = true;
            CHECK(row.at("at_least") == "3600");
            CHECK(row.at("never_started") == "0.968");
        }
    }
    CHECK(found);
    CHECK(csv_rows(folder.read("out/replications.csv"))[0].at("wait_s_p95").empty());
}

TEST_CASE("censoring: what the bounds of an expectation mean for what is not reached",
          "[cli][censoring]") {
    const Folder folder;
    folder.write("e.yaml", thousand_pods("e", most_wait));
    const auto status = [&](const std::string& expect) {
        const Answer answer = folder.berth(
            {"run", "e.yaml", "-o", "out", "--quiet", "--set", "spec.expect=" + expect});
        INFO(expect << "\n" << answer.err);
        CHECK((answer.status == 0 || answer.status == 1));
        return answer.status;
    };
    CHECK(status("{wait_s_p95: {max: 600}}") == 1);
    CHECK(status("{wait_s_p95: {max: 100000}}") == 1);
    CHECK(status("{wait_s_p95: {min: 600}}") == 0);
    CHECK(status("{wait_s_p95: {min: 6000}}") == 1);
    CHECK(status("{wait_s_p95: [600, 100000]}") == 1);
    CHECK(status("{wait_s_mean: {max: 600}}") == 1);
    CHECK(status("{wait_s_mean: {max: 3600}}") == 0);
    CHECK(status("{job_wait_s_p50: {max: 600}}") == 1);
    CHECK(status("{makespan_s: {max: 3599}}") == 1);
}

TEST_CASE("censoring: a run in which most never start does not look better", "[cli][censoring]") {
    const Folder folder;
    // Some jobs are random, so that replications differ.
    folder.write("e.yaml",
                 thousand_pods("e",
                               ", lifetime: 100s}]\n"
                               "    - generate: {type: p, count: 20, service: 100s, arrivals: "
                               "{distribution: exponential, mean: 10s}}\n"
                               "  until: 10000s\n"));
    const std::map<std::string, std::string> runs{
        {"all", "spec.seed=1"},
        {"most-wait", "spec.topology.spec.levels[0].count=1"},
        {"dropped", "spec.scheduler.retry=never"},
        {"short", "spec.until=1s"}};
    for (const auto& [name, change] : runs) {
        done(folder, {"run", "e.yaml", "-o", name, "--quiet", "--set", change});
    }
    const auto verdicts = [&](const std::string& other) {
        done(folder, {"compare", "all", other, "-o", other + ".json"});
        std::map<std::string, std::string> out;
        const auto json = nlohmann::json::parse(folder.read(other + ".json"));
        for (const auto& metric : json["comparisons"][0]["metrics"]) {
            out[metric["metric"]] = metric["verdict"];
        }
        return out;
    };
    auto waiting = verdicts("most-wait");
    CHECK(waiting["wait_s_p95"] == "worse");
    CHECK(waiting["wait_s_mean"] == "worse");
    CHECK(waiting["success_rate"] == "worse");
    auto dropped = verdicts("dropped");
    CHECK(dropped["wait_s_mean"] == "not comparable");
    CHECK(dropped["wait_s_p95"] == "not comparable");
    auto briefly = verdicts("short");
    CHECK(briefly["wait_s_mean"] == "not comparable");
    CHECK(briefly["wait_s_p95"] == "not comparable");
    CHECK(briefly["job_wait_s_p95"] == "not comparable");

    const std::string text = done(folder, {"compare", "all", "most-wait"});
    CHECK(text.find("> 10000") != std::string::npos);
    CHECK(text.find("some still waited") != std::string::npos);
    CHECK(done(folder, {"compare", "most-wait", "most-wait"}).find("not comparable") ==
          std::string::npos);
}

TEST_CASE("censoring: every reader of a run takes a summary with nulls", "[cli][censoring]") {
    const Folder folder;
    folder.write("e.yaml", thousand_pods("e", most_wait));
    folder.write("s.yaml", R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: e.yaml}
  axes: [{name: until, path: spec.until, values: [1h, 2h]}]
)");
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    done(folder, {"report", "out"});
    done(folder, {"verify", "out"});
    done(folder, {"why", "out", "pod-999"});
    done(folder, {"plot", "out", "--figure", "wait-cdf", "-o", "w.csv"});
    done(folder, {"sweep", "s.yaml", "-o", "sweep", "-j", "1"});
    done(folder, {"verify", "sweep"});
    done(folder, {"report", "sweep"});
    done(folder, {"compare", "sweep:until=1h", "sweep:until=2h"});
    const auto rows = csv_rows(folder.read("sweep/results.csv"));
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].at("wait_s_p95").empty());
    CHECK(folder.read("sweep/censored.csv").find("1,0,wait_s_p95,7200,0.968\n") !=
          std::string::npos);
    const Answer plot = folder.berth(
        {"plot", "sweep", "--figure", "lines", "--metric", "wait_s_mean", "-o", "l.csv"});
    INFO(plot.err);
    CHECK(plot.status == 0);
}

TEST_CASE("jobs: the metrics of users, quotas and sizes are the same names in all replications",
          "[cli][censoring]") {
    const Folder folder;
    folder.write("e.yaml", R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: e}
spec:
  replications: 3
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 8}}}
  types: {p: {cpu: 1, nvidia.com/gpu: 1}}
  workload:
    - generate:
        arrivals: {distribution: exponential, mean: 10s}
        service: {distribution: constant, value: 60s}
        count: 6
        mix:
          - {type: p, user: ann, quota: team-a, weight: 1}
          - {type: p, user: bob, quota: team-b, weight: 1}
          - {type: p, user: team-a, weight: 0.05}
    - groups:
        - at: 5s
          lifetime: 60s
          user: ann
          document: {kind: GroupPlacement, spec: {group: {name: gang, type: p, size: 16}}}
)");
    done(folder,
         {"run",
          "e.yaml",
          "-o",
          "out",
          "--quiet",
          "--set",
          "spec.expect={\"job_wait_s_p95[team-a]\": {max: 1000}}"});
    const auto rows = csv_rows(folder.read("out/replications.csv"));
    REQUIRE(rows.size() == 3);
    for (const char* name : {"job_wait_s_mean",
                             "gpu_wait_s_p99",
                             "job_bounded_slowdown_p95",
                             "job_wait_s_p95[team-a]",
                             "job_wait_s_mean[ann]",
                             "job_wait_s_mean[gpus=1]",
                             "job_bounded_slowdown_p50[gpus=9-64]"}) {
        INFO(name);
        CHECK(rows[0].contains(name));
    }
    const Answer wrong = folder.berth({"run",
                                       "e.yaml",
                                       "-o",
                                       "wrong",
                                       "--quiet",
                                       "--set",
                                       "spec.expect={\"job_wait_s_p95[team-c]\": {max: 1}}"});
    CHECK(wrong.status == 2);
    CHECK(wrong.err.find("unknown metric 'job_wait_s_p95[team-c]'") != std::string::npos);
}
