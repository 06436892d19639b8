#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string sound = R"(kind: Experiment
metadata: {name: writing}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types:
    one: {cpu: 4, checkpoint: {every: 100s, takes: 5s, restart: 20s}}
    two: {cpu: 2}
  workload:
    - pods:
        - {name: as-its-type, type: one, lifetime: 1000s}
        - {name: its-own, type: one, lifetime: 1000s, checkpoint: {every: 50s}}
        - {name: optimal, type: two, lifetime: 1000s, checkpoint: {every: optimal, takes: 2s}}
        - {name: none, type: two, lifetime: 1000s}
    - groups:
        - document: {spec: {group: {name: g, size: 2, type: one}}}
          lifetime: 300s
        - document: {spec: {group: {name: h, size: 2, type: one}}}
          lifetime: 300s
          checkpoint: {every: 70s}
    - generate:
        name: mixed
        arrivals: {distribution: constant, value: 10s}
        service: {distribution: constant, value: 100s}
        count: 8
        mix:
          - {type: two, checkpoint: {every: 30s, takes: 1s}}
          - {type: one}
          - {group: {spec: {group: {name: m, size: 2, type: two}}}, checkpoint: {every: 20s}}
  failures:
    random:
      - {name: board, level: server, mtbf: 900s, repair: 10s}
)";

}  // namespace

TEST_CASE("checkpoints are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"an interval of no time",
          "every: 100s",
          "every: 0s",
          "10:39: error: found '0s': expected optimal, or a duration above 0, such as 1h"},
         {"a negative interval",
          "every: 50s",
          "every: -50s",
          "15:75: error: found '-50s': expected optimal, or a duration that is not negative, such "
          "as 10ms, 10s, 5m, 24h or 7d"},
         {"no interval",
          "every: 100s, ",
          "",
          "10:31: error: a checkpoint has no 'every': expected one"},
         {"a write that takes longer",
          "takes: 5s",
          "takes: 101s",
          "10:52: error: a checkpoint that takes longer than its interval: expected takes of at "
          "most every"},
         {"a negative restart",
          "restart: 20s",
          "restart: -1s",
          "10:65: error: found '-1s': expected a duration that is not negative, such as 10ms, 10s, "
          "5m, 24h or 7d"},
         {"an unknown key",
          "restart: 20s",
          "restarts: 20s",
          "10:56: error: unknown key 'restarts' in a checkpoint: expected every, takes, stall or "
          "restart "
          "(did you mean 'restart'?)"},
         {"no map",
          "{every: 70s}",
          "70s",
          "23:23: error: found '70s': expected a map such as {every: 1h, takes: 2m, restart: 10m}"},
         {"the optimum of what takes no time",
          "takes: 2s",
          "takes: 0s",
          "16:75: error: every: optimal of a checkpoint that takes no time: expected takes, and "
          "stall if it is said, above 0, or a duration such as 1h"},
         {"a stop that is longer than the write",
          "takes: 5s,",
          "takes: 5s, stall: 6s,",
          "10:63: error: found '6s': expected at most takes, of which it is a part"},
         {"the optimum without failures by chance",
          "random:\n      - {name: board, level: server, mtbf: 900s, repair: 10s}",
          "events: []",
          "16:75: error: every: optimal without random failures: expected failures: {random: "
          "[...]}, or a duration such as 1h"},
         {"beside a mix",
          "        mix:\n",
          "        checkpoint: {every: 1s}\n        mix:\n",
          "29:9: error: 'checkpoint' beside mix: expected it in the entries of mix"}});
}

TEST_CASE("checkpoints are those of the job, or else of its type", "[cli]") {
    const Folder folder;
    folder.write("writing.yaml", sound);
    (void)done(folder, {"run", "writing.yaml", "-q", "--check-invariants", "-o", "out"});
    std::map<std::string, std::string> every;
    for (const CsvRow& row : csv_rows(folder.read("out/jobs.csv"))) {
        every[row.at("job")] = row.at("checkpoint_every_s");
        const std::string& writes = row.at("checkpoint_takes_s");
        CHECK((row.at("job") != "its-own" || writes == "0"));  // its own terms, not the type's
        // Two members with 2 CPUs, or one pod, run on one server: d is 2 s, M is 900 s.
        if (row.at("job") == "optimal") {
            CHECK(std::stod(every["optimal"]) ==
                  Approx(60 * (1 + std::sqrt(2.0 / 1800) / 3 + 2.0 / 1800 / 9) - 2));
        }
    }
    CHECK(every["as-its-type"] == "100");
    CHECK(every["its-own"] == "50");
    CHECK(every["none"].empty());
    CHECK(every["g"] == "100");
    CHECK(every["h"] == "70");
    std::map<std::string, int> mixed;
    for (const auto& [name, interval] : every) {
        mixed[interval] += name.starts_with("mixed") || name.starts_with("m-") ? 1 : 0;
    }
    CHECK(mixed["30"] + mixed["100"] + mixed["20"] == 8);
    CHECK(mixed["20"] > 0);
    CHECK(mixed["30"] > 0);
}

TEST_CASE("a run without checkpoints and causes of failures has nothing of them", "[cli]") {
    const Folder folder;
    std::string plain = sound.substr(0, sound.find("  failures:"));
    plain = replaced(plain, ", checkpoint: {every: 100s, takes: 5s, restart: 20s}", "");
    plain = replaced(plain, ", checkpoint: {every: 50s}", "");
    plain = replaced(plain, ", checkpoint: {every: optimal, takes: 2s}", "");
    plain = replaced(plain, "          checkpoint: {every: 70s}\n", "");
    plain = replaced(plain, ", checkpoint: {every: 30s, takes: 1s}", "");
    plain = replaced(plain, ", checkpoint: {every: 20s}", "");
    folder.write("plain.yaml", plain);
    (void)done(folder, {"run", "plain.yaml", "-q", "-o", "out"});
    for (const char* file : {"out/jobs.csv", "out/summary.json"}) {
        CHECK(folder.read(file).find("ettr_mean") == std::string::npos);
        CHECK(folder.read(file).find("work_s") == std::string::npos);
        CHECK(folder.read(file).find("goodput") == std::string::npos);
    }
}

TEST_CASE("checkpoints: who is on servers that never fail writes none", "[cli]") {
    const Folder folder;
    folder.write("safe.yaml", R"(kind: Experiment
metadata: {name: safe}
spec:
  topology:
    spec:
      levels: [{name: host, count: 2}]
      machines: [{type: m}, {type: other}]
      machineTypes: {m: {capacity: {cpu: 4}}, other: {capacity: {memory: 1Gi}}}
  types: {one: {cpu: 1, checkpoint: {every: optimal, takes: 2s, restart: 3s}}}
  workload: [{pods: [{name: a, type: one, lifetime: 10s}]}]
  failures: {random: [{name: board, level: host, machineType: other, mtbf: 9d, repair: 1s}]}
)");
    (void)done(folder, {"run", "safe.yaml", "-q", "-o", "out"});
    const CsvRow job = csv_rows(folder.read("out/jobs.csv")).front();
    CHECK(job.at("finish_s") == "10");
    CHECK(job.at("checkpoint_every_s").empty());
    CHECK(job.at("checkpoint_restart_s") == "3");
}

TEST_CASE("a job whose time at its places no run can last does not finish", "[cli][checkpoint]") {
    const auto [of_pod, of_run] = GENERATE(
        table<std::string, std::string>({{", checkpoint: {every: 1h, takes: 1h}", ""},
                                         {"", "  runTime: {classes: {any: {server: 2}}}\n"}}));
    CAPTURE(of_pod, of_run);
    const Folder folder;
    folder.write("long.yaml",
                 "kind: Experiment\nmetadata: {name: long}\nspec:\n"
                 "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: m}], "
                 "machineTypes: {m: {capacity: {cpu: 4}}}}}\n"
                 "  types: {one: {cpu: 1}}\n" +
                     of_run +
                     "  workload:\n    - pods:\n"
                     "        - {name: short, type: one, lifetime: 10s}\n"
                     "        - {name: long, type: one, lifetime: 106751d" +
                     of_pod + "}\n");
    const Answer answer = folder.berth({"run", "long.yaml"});
    REQUIRE(answer.status == 0);
    std::map<std::string, std::string> outcomes;
    for (const CsvRow& row : csv_rows(folder.read("out/long/jobs.csv"))) {
        outcomes[row.at("job")] = row.at("outcome");
    }
    CHECK(outcomes.at("short") == "finished");
    CHECK(outcomes.at("long") == "running");
}
