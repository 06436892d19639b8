// The cost of an interruption for a job, computed by hand.

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

/// A job that works for 10 s, writes for 2 s and restarts for 5 s. Its rack fails at 30 s, which is
/// noticed at 36 s; the job continues in the other rack, until its server is taken away at 60 s.
const std::string twice = R"(kind: Experiment
metadata: {name: twice}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 4, checkpoint: {every: 10s, takes: 2s, restart: 5s}}}
  workload:
    - pods: [{name: job, type: one, lifetime: 60s}]
  failures:
    events: [{at: 60s, node: server-1, event: fail}]
    csv: "time_s,component,event,cause\n30,rack-0,fail,power\n40,rack-0,repair,power\n"
    detection: 6s
)";

/// Runs the experiment with some changes, and returns the metrics of its summary.
Json metrics_of(const Folder& folder,
                const std::string& experiment,
                const std::vector<std::string>& changes = {}) {
    folder.write("experiment.yaml", experiment);
    std::vector<std::string> command{
        "run", "experiment.yaml", "-q", "-o", "out", "--check-invariants"};
    for (const std::string& change : changes) {
        command.insert(command.end(), {"--set", change});
    }
    (void)done(folder, command);
    return Json::parse(folder.read("out/summary.json")).at("metrics");
}

}  // namespace

TEST_CASE("why: what failed, how long a job hung, when it was as far again", "[cli][why]") {
    const Folder folder;
    folder.write("twice.yaml", twice);
    (void)done(folder, {"run", "twice.yaml", "-q", "-o", "out", "--check-invariants"});
    // By 30 s, 26 s of work are done, 20 s of which are saved. 5 s after 36 s it begins to do the
    // other 6 s again. By 60 s there are 37 s of work, 30 s of which are saved.
    CHECK_THAT(done(folder, {"why", "out", "job"}),
               Catch::EndsWith(
                   "  0 s: started on server-0\n"
                   "  36 s: evicted (node_failed: rack-0, cause power) after 36 s, hung for the "
                   "last 6 s, 6 s of work lost\n"
                   "  36 s: started on server-1\n"
                   "  47 s: had done as much again as at 36 s\n"
                   "  60 s: evicted (node_failed: server-1, an event of the experiment) after 24 "
                   "s, 7 s of work lost\n"
                   "  60 s: started on cluster/rack-0/server-0\n"
                   "  72 s: had done as much again as at 60 s\n"
                   "  101 s: finished\n"));
    const Json evictions =
        Json::parse(done(folder, {"why", "out", "job", "--json"})).at("evictions");
    REQUIRE(evictions.size() == 2);
    CHECK(evictions[0].at("hung_s") == 6);
    CHECK(evictions[0].at("failure") == Json({{"component", "rack-0"}, {"cause", "power"}}));
    CHECK(evictions[0].at("recovered_s") == 47);
    CHECK(evictions[1].at("hung_s") == 0);
    CHECK(evictions[1].at("failure") == Json({{"component", "server-1"}, {"cause", ""}}));
}

TEST_CASE("why: of a large group that goes on, what is different is said", "[cli][why]") {
    const Folder folder;
    folder.write("large.yaml", R"(kind: Experiment
metadata: {name: large}
spec:
  topology:
    spec:
      levels: [{name: server, count: 12}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 4}}
  workload:
    - groups:
        - lifetime: 60s
          document: {spec: {group: {name: g, size: 10, type: one, minAvailable: 9}}}
  failures:
    events:
      - {at: 10s, node: server-3, event: fail}
      - {at: 20s, node: server-4, event: fail}
      - {at: 30s, node: server-5, event: fail}
  scheduler: {onFailure: replace}
)");
    (void)done(folder, {"run", "large.yaml", "-q", "-o", "out"});
    CHECK_THAT(
        done(folder, {"why", "out", "g"}),
        Catch::Contains("  0 s: started on server-0, server-1, server-2, server-3, server-4, "
                        "server-5, server-6, server-7 and 2 more\n") &&
            Catch::Contains("  10 s: started where it was, without server-3, with server-10\n") &&
            Catch::Contains("  20 s: started where it was, without server-4, with server-11\n") &&
            Catch::Contains("  30 s: started with 9 members, on "));
}

TEST_CASE("recovery: from the loss of places until as much is done again", "[cli]") {
    const Folder folder;
    const Json metrics = metrics_of(folder, twice);
    CHECK(metrics.at("recovery_s_mean").at("mean") == 11.5);  // 36 s to 47 s, and 60 s to 72 s
    CHECK(metrics.at("recovery_s_p95").at("mean") == 12);
    CHECK(metrics.at("interruptions_unrecovered").at("mean") == 0);
    CHECK_FALSE(metrics.at("recovery_s_mean").contains("at_least"));
}

TEST_CASE("recovery: a run ends before as much is done again", "[cli]") {
    const Folder folder;
    const Json metrics = metrics_of(folder, twice, {"spec.until=70s"});
    CHECK(metrics.at("recovery_s_mean").at("mean") == 11);
    CHECK(metrics.at("recovery_s_mean").at("at_least") == 10.5);
    CHECK(metrics.at("interruptions_unrecovered").at("mean") == 1);
}

TEST_CASE("recovery: who is given up never recovers", "[cli]") {
    const Folder folder;
    const Json metrics =
        metrics_of(folder, twice, {"spec.scheduler={onFailure: {name: requeue, giveUpAfter: 2}}"});
    CHECK(metrics.at("recovery_s_mean").at("mean") == 11);
    CHECK_FALSE(metrics.at("recovery_s_mean").contains("at_least"));
    CHECK(metrics.at("interruptions_unrecovered").at("mean") == 1);
}

TEST_CASE("recovery: interrupted again before, it counts both from their own times", "[cli]") {
    // By 36 s there are 26 s of work. From 41 s to 45 s it does 4 of the 6 lost seconds again. It
    // restarts from 55 s to 60 s; 4 s are done again by 64 s, and 6 s by 66 s.
    const Folder folder;
    const Json metrics = metrics_of(
        folder,
        twice,
        {"spec.failures.events=[{at: 45s, node: server-1, event: fail}, {at: 55s, node: server-1, "
         "event: repair}]",
         "spec.failures.csv=\"time_s,component,event,cause\\n30,rack-0,fail,power\\n\""});
    CHECK(metrics.at("recovery_s_mean").at("mean") == (30 + 19) / 2.0);
    CHECK(metrics.at("recovery_s_p95").at("mean") == 30);
}

TEST_CASE("recovery: who has no work to do has done it at once", "[cli]") {
    // It hangs from 6 s to 11 s, since its server has failed; then it starts and finishes at once.
    const Folder folder;
    const Json metrics = metrics_of(
        folder,
        twice,
        {"spec.types.one={cpu: 4}",
         "spec.workload=[{pods: [{name: job, type: one, at: 6s, lifetime: 0s}]}]",
         "spec.failures={csv: \"time_s,component,event\\n5,server-0,fail\\n\", detection: 6s}"});
    CHECK(metrics.at("interruptions").at("mean") == 1);
    CHECK(metrics.at("recovery_s_mean").at("mean") == 0);
    CHECK(metrics.at("interruptions_unrecovered").at("mean") == 0);
}

TEST_CASE("mttf.csv: interruptions by size, and how long jobs ran", "[cli]") {
    const Folder folder;
    (void)metrics_of(folder, twice);
    const auto rows = csv_rows(folder.read("out/mttf.csv"));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("size_of") == "pods");
    CHECK(rows[0].at("size_min") + " to " + rows[0].at("size_max") == "1 to 1");
    CHECK(rows[0].at("jobs") == "1");
    CHECK(rows[0].at("interruptions") == "2");
    CHECK(rows[0].at("running_s") == "101");
    CHECK(rows[0].at("mttf_s") == "50.5");
    // Half of the chi-square quantiles 12.5916 (6 degrees, 95 %) and 0.710723 (4 degrees, 5 %).
    CHECK(std::stod(rows[0].at("mttf_low_s")) == Approx(2 * 101 / 12.5916).epsilon(1e-5));
    CHECK(std::stod(rows[0].at("mttf_high_s")) == Approx(2 * 101 / 0.710723).epsilon(1e-5));
}

TEST_CASE("mttf.csv: sizes are powers of two of GPUs", "[cli]") {
    const Folder folder;
    (void)metrics_of(folder, R"(kind: Experiment
metadata: {name: sizes}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 99, nvidia.com/gpu: 99}}}
  types: {none: {cpu: 1}, one: {nvidia.com/gpu: 1}, three: {nvidia.com/gpu: 3}}
  workload:
    - pods:
        - {name: a, type: none, lifetime: 10s}
        - {name: b, type: one, lifetime: 10s}
        - {name: c, type: three, lifetime: 10s, count: 2}
    - groups:
        - {document: {spec: {group: {name: d, size: 3, type: three}}}, lifetime: 10s}
        - {document: {spec: {group: {name: e, size: 4, type: one}}}, lifetime: 10s}
  failures: {csv: "time_s,component,event,cause\n99,server-0,fail,power\n"}
)");
    std::vector<std::string> sizes;
    for (const CsvRow& row : csv_rows(folder.read("out/mttf.csv"))) {
        sizes.push_back(row.at("size_min") + "-" + row.at("size_max") + ": " + row.at("jobs") +
                        ", " + row.at("size_running_s"));
        CHECK(row.at("mttf_s").empty());
        CHECK(row.at("mttf_high_s").empty());
        CHECK(std::stod(row.at("mttf_low_s")) ==
              Approx(std::stod(row.at("running_s")) / -std::log(0.05)));
    }
    CHECK(sizes ==
          std::vector<std::string>{"0-0: 1, 0", "1-1: 1, 10", "3-4: 3, 100", "9-16: 1, 90"});
}

TEST_CASE("gain: ettr_mean and goodput of each quota", "[cli]") {
    // By 30 s, team-a has 20 s of work that are saved. From 40 s on it restarts for 5 s, and has 40
    // s of work and four writes left: it had its GPU for 83 s, and took 93 s.
    const Folder folder;
    const Json metrics = metrics_of(folder, R"(kind: Experiment
metadata: {name: teams}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {nvidia.com/gpu: 1}}}
  types: {one: {nvidia.com/gpu: 1}}
  workload:
    - pods:
        - {name: a, type: one, lifetime: 60s, quota: team-a, class: training,
           checkpoint: {every: 10s, takes: 2s, restart: 5s}}
        - {name: b, type: one, lifetime: 50s, quota: team-b}
  failures: {csv: "time_s,component,event,cause\n30,server-0,fail,x\n40,server-0,repair,x\n"}
)");
    const auto mean = [&](const std::string& name) {
        return metrics.at(name).at("mean").get<double>();
    };
    CHECK(mean("goodput[team-a]") == Approx(60.0 / 83));
    CHECK(mean("goodput[team-b]") == 1);
    CHECK(mean("goodput[training]") == mean("goodput[team-a]"));
    CHECK(mean("goodput") == Approx(110.0 / 133));
    CHECK(mean("ettr_mean[team-a]") == Approx(60.0 / 93));
    CHECK(mean("ettr_mean[team-b]") == 1);
    CHECK(mean("ettr_mean") == Approx((60.0 / 93 + 1) / 2));
}

TEST_CASE("gain: who left in a resize had GPUs too, and lost nothing", "[cli]") {
    // One of two members leaves at 20 s. The other loses 40 s of work when the server fails.
    const Folder folder;
    const Json metrics = metrics_of(folder, R"(kind: Experiment
metadata: {name: smaller}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {nvidia.com/gpu: 2}}}
  types: {one: {nvidia.com/gpu: 1}}
  workload:
    - groups:
        - document: {spec: {group: {name: g, size: 2, type: one}}}
          quota: team-a
          resize: [{at: 20s, size: 1}]
    - pods: [{name: late, type: one, at: 45s, quota: team-b}]
  failures: {csv: "time_s,component,event,cause\n40,server-0,fail,x\n"}
  until: 50s
)");
    CHECK(metrics.at("goodput[team-a]").at("mean").get<double>() == Approx(20.0 / 60));
    CHECK(metrics.at("goodput").at("mean").get<double>() == Approx(20.0 / 60));
    CHECK_FALSE(metrics.contains("goodput[team-b]"));
}

TEST_CASE("compare: the same failures in two runs, and whom they interrupted", "[cli][compare]") {
    // Two long jobs have one server each; without the second one, the short job has left its server
    // before anything fails there.
    const Folder folder;
    const std::string experiment = R"(kind: Experiment
metadata: {name: one-server}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 2}}}
  types: {all: {cpu: 2}}
  workload:
    - pods:
        - {name: long, type: all, lifetime: 50s, count: 2}
        - {name: short, type: all, lifetime: 8s}
  scheduler: {profile: {queueSort: fcfs}}
  failures:
    csv: "time_s,component,event\n9,server-0,fail\n9,server-0,repair\n30,server-1,fail\n"
  until: 40s
)";
    (void)metrics_of(folder, experiment);
    std::filesystem::rename(folder.path() / "out", folder.path() / "fcfs");
    (void)metrics_of(folder, experiment, {"spec.until=20s"});
    std::filesystem::rename(folder.path() / "out", folder.path() / "until-20");
    (void)metrics_of(folder, experiment, {"spec.workload[0].pods[0].count=1"});
    std::filesystem::rename(folder.path() / "out", folder.path() / "fewer");
    (void)metrics_of(folder, experiment, {"spec.failures.detection=1s"});
    CHECK_THAT(done(folder, {"compare", "fcfs", "until-20"}),
               Catch::Contains("\n  1 outage at the same time in both: 1 took places of jobs in "
                               "both, 0 in the baseline alone, 0 in this run alone; 1 job lost its "
                               "places in the baseline, 1 in this run\n  1 outage in the baseline "
                               "alone, where 1 job lost its places; 0 in this run alone, where 0 "
                               "jobs lost places\n"));
    CHECK_THAT(done(folder, {"compare", "fcfs", "fewer"}),
               Catch::Contains("\n  2 outages at the same time in both: 1 took places of jobs in "
                               "both, 1 in the baseline alone, 0 in this run alone; 2 jobs lost "
                               "places in the baseline, 1 in this run\n") &&
                   !Catch::Contains("in this run alone, where"));
    CHECK_THAT(done(folder, {"compare", "fcfs", "out"}),
               Catch::Contains("note: failures are detected sooner or later: "
                               "spec.failures.detection is not there in the baseline and 1s in "
                               "this run") &&
                   !Catch::Contains("the clusters differ"));
    (void)done(folder, {"compare", "fcfs", "fewer", "-o", "both.json"});
    CHECK(Json::parse(folder.read("both.json")).at("comparisons").at(0).at("outages") ==
          Json::parse(R"({"both": 2, "hit_both": 1, "hit_baseline_only": 1, "hit_run_only": 0,
                          "jobs_baseline": 2, "jobs_run": 1,
                          "baseline_only": {"outages": 0, "jobs": 0},
                          "run_only": {"outages": 0, "jobs": 0}})"));
}
