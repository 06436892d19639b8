#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Ten cores: A lends, and takes back; a server fails; quotas change. There are 16 pods of A and B,
/// gangs in C, and random arrivals in the default group.
const std::string busy = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: busy}
spec:
  seed: 5
  replications: 6
  topology:
    spec:
      levels: [{name: server, count: 4}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}, two: {cpu: 2}, half: {cpu: 500m}}
  quotas: [{file: quotas.yaml}]
  quotaChanges:
    - {at: 5m, create: {file: new.yaml}}
    - {at: 10m, update: {name: B, max: {cpu: 10}}}
    - {at: 15m, delete: A}
    - {at: 20m, update: {name: B, min: {cpu: 99}}}
  workload:
    - generate:
        name: a
        arrivals: {distribution: exponential, mean: 20s}
        service: {distribution: exponential, mean: 5m}
        until: 30m
        mix: [{type: one, weight: 3, quota: A}, {type: two, quota: A, priority: 5}]
    - generate:
        name: b
        arrivals: {distribution: exponential, mean: 30s}
        service: {distribution: exponential, mean: 4m}
        start: 2m
        until: 30m
        quota: B
        type: one
    - generate:
        name: n
        arrivals: {distribution: exponential, mean: 1m}
        service: {distribution: exponential, mean: 4m}
        until: 30m
        quota: new
        type: half
    - groups:
        - document:
            kind: GroupPlacement
            spec: {group: {name: gang, size: 6, minAvailable: 2, type: one}}
          at: 3m
          lifetime: 10m
          quota: B
  scheduler:
    lostWork: 0.25
    profile:
      queueSort: priority
      preFilter: [elastic-quota]
      postFilter: [in-quota-preemption]
  recycler: {period: 1s, patience: 20s}
  failures:
    events:
      - {at: 8m, node: server-2, event: fail}
      - {at: 12m, node: server-2, event: repair}
  record: {sampleEvery: 1m}
)";

const std::string quotas = R"(kind: ElasticQuota
metadata: {name: A}
spec: {min: {cpu: 10}, max: {cpu: 32}}
---
kind: ElasticQuota
metadata: {name: B}
spec: {min: {cpu: 10}, max: {cpu: 20}}
)";

const std::string new_quota = R"(kind: ElasticQuota
metadata: {name: new}
spec: {min: {cpu: 2}, max: {cpu: 4}}
)";

/// A small run, computed by hand: A's nine pods and B's two are one too many for ten cores.
const std::string small = R"(kind: Experiment
metadata: {name: small}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 10}}}
  types: {one: {cpu: 1}}
  quotas:
    - objects:
        - {kind: ElasticQuota, metadata: {name: A}, spec: {min: {cpu: 8}, max: {cpu: 10}}}
        - {kind: ElasticQuota, metadata: {name: B}, spec: {min: {cpu: 2}, max: {cpu: 10}}}
  quotaChanges:
    - {at: 30s, delete: B}
    - {at: 31s, update: {name: nobody, max: {cpu: 1}}}
  workload:
    - pods:
        - {name: a, type: one, quota: A, count: 9, at: 0s, lifetime: 1m}
        - {name: b, type: one, quota: B, count: 2, at: 10s, lifetime: 1m}
        - {name: x, type: one, quota: B, at: 20s}
  scheduler: {lostWork: 0.5}
  recycler: {period: 1s, patience: 2s}
  record: {sampleEvery: 20s}
  until: 55s
)";

nlohmann::json metrics_of(const Folder& folder, const std::string& run) {
    return nlohmann::json::parse(folder.read(run + "/summary.json")).at("metrics");
}

double mean(const nlohmann::json& metrics, const std::string& name) {
    return metrics.at(name).at("mean").get<double>();
}

void write_busy(const Folder& folder) {
    folder.write("busy.yaml", busy);
    folder.write("quotas.yaml", quotas);
    folder.write("new.yaml", new_quota);
}

const std::set<std::string> same_files{"summary.json",
                                       "timeseries.csv",
                                       "censored.csv",
                                       "jobs.csv",
                                       "groups.csv",
                                       "pods.csv",
                                       "quotas.csv",
                                       "evictions.csv",
                                       "quota_changes.csv",
                                       "experiment.yaml"};

}  // namespace

TEST_CASE("quotas: pods that quotas reject are counted in a warning", "[cli][quota]") {
    const Folder folder;
    std::string text = small;
    const std::string none = "- {at: 30s, delete: B}";
    text.replace(text.find(none),
                 none.size(),
                 "- {at: 5s, update: {kind: ElasticQuota, metadata: {name: B, labels: "
                 "{quota.scheduling.koordinator.sh/is-parent: 'true'}}, "
                 "spec: {min: {cpu: 2}, max: {cpu: 10}}}}");
    folder.write("small.yaml", text);
    const Answer answer = folder.berth({"run", "small.yaml", "-o", "r", "--quiet"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: rejected: quotas cannot take 3 jobs; jobs.csv says why of "
                               "each, of the first: b-0: quota B is a parent"));
}

TEST_CASE("quotas: a small run's files, row by row", "[cli][quota]") {
    const Folder folder;
    folder.write("small.yaml", small);
    (void)done(folder, {"run", "small.yaml", "-o", "r", "--quiet"});
    // B asks at 10 s; A's runtime falls from 9 to 8, and its ninth pod is evicted after more than 2
    // s.
    CHECK(folder.read("r/evictions.csv") ==
          "replication,time_s,pod,quota,cause,ran_s,lost_s,node\n"
          "0,12,a-8,A,revoked,12,6,server-0\n");
    CHECK(folder.read("r/quota_changes.csv") ==
          "replication,time_s,change,quota,accepted,message\n"
          "0,30,delete,B,false,\"B has pods, of 3 jobs: expected none when it is deleted\"\n"
          "0,31,update,nobody,false,unknown quota nobody: expected one that was created\n");
    const auto pods = csv_rows(folder.read("r/pods.csv"));
    REQUIRE(pods.size() == 12);
    std::map<std::string, CsvRow> by_name;
    for (const CsvRow& pod : pods) {
        by_name[pod.at("pod")] = pod;
    }
    const CsvRow& evicted = by_name.at("a-8");
    CHECK(evicted.at("outcome") == "waiting");
    CHECK(evicted.at("revoked") == "1");
    CHECK(evicted.at("preempted") == "0");
    CHECK(evicted.at("node_failed") == "0");
    CHECK(evicted.at("lost_s") == "6");
    CHECK(evicted.at("start_s").empty());
    CHECK(evicted.at("node").empty());
    CHECK(evicted.at("reason") ==
          "quota A: 8 used + 1 requested > runtime 8 of cpu; held back at A: its siblings and it "
          "ask for 12 cpu of 10.");
    CHECK(by_name.at("b-0").at("start_s") == "10");
    CHECK(by_name.at("b-1").at("start_s") == "12");
    CHECK(by_name.at("x").at("outcome") == "waiting");
    CHECK(by_name.at("a-0").at("outcome") == "running");
    CHECK(by_name.at("a-0").at("quota") == "A");
    const std::string header =
        "replication,time_s,quota,resource,min,max,runtime,request,used,scaled_min,parent\n";
    const std::string recorded = folder.read("r/quotas.csv");
    CHECK_THAT(recorded, Catch::StartsWith(header + R"(0,0,A,cpu,8,10,9,9,9,8,koordinator-root-quota
0,0,B,cpu,2,10,0,0,0,2,koordinator-root-quota
0,0,koordinator-system-quota,cpu,,,,0,0,,koordinator-root-quota
0,0,koordinator-default-quota,cpu,,,,0,0,,koordinator-root-quota
0,20,A,cpu,8,10,8,9,8,8,koordinator-root-quota
0,20,B,cpu,2,10,2,3,2,2,koordinator-root-quota
)"));
}

TEST_CASE("quotas: a small run's summary, by hand", "[cli][quota]") {
    const Folder folder;
    folder.write("small.yaml", small);
    (void)done(folder, {"run", "small.yaml", "-o", "r", "--quiet"});
    const auto metrics = metrics_of(folder, "r");
    const std::map<std::string, double> expected{
        {"pods_revoked", 1},
        {"pods_preempted", 0},
        {"pods_node_failed", 0},
        {"work_lost_s", 6},
        {"min_violation_s", 2},  // B has one of its two cores from 10 s to 12 s
        {"over_use_s", 2},
        {"quota/A/revoked", 1},
        {"quota/A/lost_s", 6},
        {"quota/A/over_use_s", 2},
        {"quota/A/min_violation_s", 0},
        {"quota/A/cpu_borrowed_h", 12 / 3600.0},
        {"quota/A/cpu_lent_h", 0},
        {"quota/B/cpu_lent_h", 2 * 10 / 3600.0},
        {"quota/B/cpu_borrowed_h", 0},
        {"quota/B/min_violation_s", 2},
        {"quota/B/pods_submitted", 3},
        {"quota/B/wait_s_mean", 1},
        {"quota/A/dominant_share", (0.9 * 12 + 0.8 * 43) / 55},
        {"quota/B/dominant_share", (0.1 * 2 + 0.2 * 43) / 55},
    };
    for (const auto& [name, value] : expected) {
        CAPTURE(name);
        CHECK(mean(metrics, name) == Approx(value));
    }
    // One of B's pods still waits at the end, so the longest wait is not known.
    CHECK(metrics.at("quota/B/wait_s_max").at("mean").is_null());
    const double a = mean(metrics, "quota/A/dominant_share");
    const double b = mean(metrics, "quota/B/dominant_share");
    CHECK(mean(metrics, "jain_dominant_share") ==
          Approx((a + b) * (a + b) / (2 * (a * a + b * b))));
    CHECK(metrics.contains("jain_satisfaction"));
}

TEST_CASE("quotas: the same bytes at any number of threads, and again", "[cli][quota]") {
    const Folder folder;
    write_busy(folder);
    (void)done(folder, {"run", "busy.yaml", "-o", "one", "-j1", "--quiet"});
    (void)done(folder, {"run", "busy.yaml", "-o", "three", "-j3", "--quiet"});
    (void)done(folder, {"run", "one/experiment.yaml", "-o", "again", "-j2", "--quiet"});
    for (const std::string& file : same_files) {
        CAPTURE(file);
        CHECK_FALSE(folder.read("one/" + file).empty());
        CHECK(folder.read("three/" + file) == folder.read("one/" + file));
        CHECK(folder.read("again/" + file) == folder.read("one/" + file));
    }
}

TEST_CASE("quotas: every pod has one outcome, and evictions add up", "[cli][quota]") {
    const Folder folder;
    write_busy(folder);
    (void)done(folder, {"run", "busy.yaml", "-o", "r", "--quiet"});
    std::map<std::string, int> by_cause;  // by `replication pod cause`
    std::map<std::string, double> lost;   // by `replication pod`
    std::set<std::string> causes;
    for (const CsvRow& row : csv_rows(folder.read("r/evictions.csv"))) {
        const std::string pod = row.at("replication") + " " + row.at("pod");
        ++by_cause[pod + " " + row.at("cause")];
        lost[pod] += std::stod(row.at("lost_s"));
        causes.insert(row.at("cause"));
        CHECK(std::stod(row.at("lost_s")) ==
              Approx(0.25 * std::stod(row.at("ran_s"))).margin(1e-6));
        CHECK_THAT(row.at("node"), Catch::StartsWith("server-"));
    }
    CHECK(causes == std::set<std::string>{"node-failed", "preempted", "revoked"});
    const std::set<std::string> outcomes{"finished", "running", "waiting", "dropped", "rejected"};
    std::map<std::string, std::set<std::string>> pods;
    std::map<std::string, double> counted;
    for (const CsvRow& row : csv_rows(folder.read("r/pods.csv"))) {
        const std::string pod = row.at("replication") + " " + row.at("pod");
        CAPTURE(pod);
        CHECK(pods[row.at("replication")].insert(row.at("pod")).second);
        CHECK(outcomes.contains(row.at("outcome")));
        CHECK(row.at("start_s").empty() ==
              !(row.at("outcome") == "finished" || row.at("outcome") == "running"));
        ++counted["pods_" + row.at("outcome")];
        CHECK(std::stoi(row.at("revoked")) == by_cause[pod + " revoked"]);
        CHECK(std::stoi(row.at("preempted")) == by_cause[pod + " preempted"]);
        CHECK(std::stoi(row.at("node_failed")) == by_cause[pod + " node-failed"]);
        CHECK(std::stod(row.at("lost_s")) == Approx(lost[pod]).margin(1e-6));
    }
    CHECK(pods.size() == 6);
    CHECK(counted["pods_waiting"] == 0);
    CHECK(counted["pods_rejected"] == 0);
    // Refused changes are reported in every replication, and the other changes take effect.
    int accepted = 0;
    int refused = 0;
    for (const CsvRow& row : csv_rows(folder.read("r/quota_changes.csv"))) {
        ++(row.at("accepted") == "true" ? accepted : refused);
        CHECK((row.at("message").empty() == (row.at("accepted") == "true")));
    }
    CHECK(accepted == 6 * 2);
    CHECK(refused == 6 * 2);
}

TEST_CASE("quotas: the summary counts the pods of pods.csv", "[cli][quota]") {
    const Folder folder;
    write_busy(folder);
    (void)done(folder, {"run", "busy.yaml", "-o", "r", "--quiet"});
    std::map<std::string, std::map<std::string, double>> counted;  // by replication
    for (const CsvRow& row : csv_rows(folder.read("r/pods.csv"))) {
        auto& of = counted[row.at("replication")];
        ++of["pods_" + row.at("outcome")];
        of["work_lost_s"] += std::stod(row.at("lost_s"));
        if (!row.at("start_s").empty()) {
            ++of["started"];
            of["wait_s"] += std::stod(row.at("wait_s"));
        }
        if (!row.at("finish_s").empty()) {
            of["jct_s"] += std::stod(row.at("jct_s"));
            of["makespan_s"] = std::max(of["makespan_s"], std::stod(row.at("finish_s")));
        }
    }
    for (const CsvRow& row : csv_rows(folder.read("r/replications.csv"))) {
        auto& of = counted.at(row.at("replication"));
        for (const char* name : {"pods_finished",
                                 "pods_running",
                                 "pods_waiting",
                                 "pods_dropped",
                                 "work_lost_s",
                                 "makespan_s"}) {
            CAPTURE(name);
            CHECK(std::stod(row.at(name)) == Approx(of[name]));
        }
        CHECK(std::stod(row.at("wait_s_mean")) == Approx(of["wait_s"] / of["started"]));
        CHECK(std::stod(row.at("jct_s_mean")) == Approx(of["jct_s"] / of["pods_finished"]));
    }
}

TEST_CASE("quotas: no policy, or another, from the command line", "[cli][quota]") {
    struct Row {
        std::string set;
        std::string running;   ///< Pods of a's nine and b's two that run at 5 s, by quota.
        std::string recycler;  ///< Beginning of a warning.
    };
    const std::string warning = "small.yaml:22:14: warning: recycler without";
    const Row row = GENERATE_COPY(
        // There is no limit: first come, first served.
        Row{"spec.scheduler.profile.preFilter=[]", "A 9 B 1", warning},
        Row{"spec.scheduler.profile.preFilter=[{name: elastic-quota, limit: max}]",
            "A 9 B 1",
            warning},
        // Each quota has its min, and the ninth pod of A waits although there is room.
        Row{"spec.scheduler.profile.preFilter=[{name: elastic-quota, limit: min}]",
            "A 8 B 2",
            warning},
        Row{"spec.scheduler.profile.preFilter=[elastic-quota]", "A 8 B 2", ""});
    CAPTURE(row.set);
    const Folder folder;
    folder.write("small.yaml", replaced(small, "{lostWork: 0.5}", "{profile: {}}"));
    const Answer answer =
        folder.berth({"run", "small.yaml", "-o", "r", "--quiet", "--set", row.set});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.first_line(), Catch::StartsWith(row.recycler));
    std::map<std::string, int> running;
    for (const CsvRow& pod : csv_rows(folder.read("r/pods.csv"))) {
        running[pod.at("quota")] += pod.at("outcome") == "running" ? 1 : 0;
    }
    CHECK("A " + std::to_string(running["A"]) + " B " + std::to_string(running["B"]) ==
          row.running);
    // Usage and runtimes are recorded nevertheless.
    CHECK(csv_rows(folder.read("r/quotas.csv")).size() == 4 * 3);
    CHECK(mean(metrics_of(folder, "r"), "quota/A/revoked") == (row.recycler.empty() ? 1 : 0));
}

TEST_CASE("quotas: what an experiment says of them comes out resolved", "[cli][quota]") {
    const Folder folder;
    write_busy(folder);
    (void)done(folder,
               {"run",
                "busy.yaml",
                "-o",
                "r",
                "--quiet",
                "--set",
                "spec.recycler.patience=7s",
                "--set",
                "spec.replications=1"});
    const std::string resolved = folder.read("r/experiment.yaml");
    CHECK_THAT(resolved, Catch::Contains("patience: 7s") && !Catch::Contains("quotas.yaml"));
    std::filesystem::remove(folder.path() / "quotas.yaml");
    std::filesystem::remove(folder.path() / "new.yaml");
    (void)done(folder, {"run", "r/experiment.yaml", "-o", "again", "--quiet"});
    CHECK(folder.read("again/manifest.json") == folder.read("r/manifest.json"));
}

TEST_CASE("quotas: a group that shrank before it is evicted", "[cli][quota]") {
    // Four members, two of them from 10 s on; the server fails at 20 s and comes back at 30 s. Two
    // members were evicted, not four, and wait for 10 s as a group and as pods.
    const Folder folder;
    folder.write("run.yaml", R"(kind: Experiment
metadata: {name: shrunk}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 1}}
  quotas:
    - objects: [{kind: ElasticQuota, metadata: {name: A}, spec: {min: {cpu: 2}, max: {cpu: 4}}}]
  workload:
    - groups:
        - document: {kind: GroupPlacement, spec: {group: {name: gang, size: 4, type: one}}}
          quota: A
          at: 0s
          lifetime: 1m
          resize: [{at: 10s, size: 2}]
  failures:
    events:
      - {at: 20s, node: server-0, event: fail}
      - {at: 30s, node: server-0, event: repair}
)");
    (void)done(folder, {"run", "run.yaml", "-o", "r", "--quiet"});
    CHECK(csv_rows(folder.read("r/evictions.csv")).size() == 2);
    const auto metrics = metrics_of(folder, "r");
    CHECK(mean(metrics, "pods_node_failed") == 2);
    CHECK(mean(metrics, "work_lost_s") == 2 * 20);
    const CsvRow group = csv_rows(folder.read("r/groups.csv")).at(0);
    CHECK(group.at("start_s") == "30");
    CHECK(group.at("wait_s") == "10");
    CHECK(group.at("finish_s") == "90");
    std::map<std::string, int> outcomes;
    for (const CsvRow& pod : csv_rows(folder.read("r/pods.csv"))) {
        ++outcomes[pod.at("outcome") + " at " + pod.at("finish_s")];
    }
    // The two members that left at 10 s are not lost.
    CHECK(outcomes == std::map<std::string, int>{{"finished at 10", 2}, {"finished at 90", 2}});
}
