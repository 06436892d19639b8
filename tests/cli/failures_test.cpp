#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string sound = R"(kind: Experiment
metadata: {name: failing}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}, devices: {rdma: {count: 2}}}}
  types: {one: {cpu: 4}}
  workload:
    - generate: {type: one, count: 4, arrivals: &e {distribution: constant, value: 9s}, service: *e}
  failures:
    random:
      - {name: board, level: server, mtbf: 100s, repair: {mean: 10s}}
      - {name: power, level: rack, rate: 2/1000s, repair: 20s}
      - {name: n, device: rdma, machineType: host, repair: 0s,
         between: {distribution: empirical, values: [500s, 900s]}}
    lemons: {share: 0.5, factor: 2}
    crews: 2
    quarantine: {failures: 3, within: 100s, for: 50s}
)";

}  // namespace

TEST_CASE("failures are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"no name",
          "{name: board, level",
          "{level",
          "14:9: error: a cause of failures has no 'name': expected one"},
         {"a level that is not there",
          "level: rack, rate",
          "level: rak, rate",
          "15:30: error: found 'rak': expected rack or server (did you mean 'rack'?)"},
         {"a device that no server has",
          "device: rdma",
          "device: gpu",
          "16:27: error: found 'gpu': expected rdma"},
         {"a level and a device",
          "device: rdma",
          "level: server, device: rdma",
          "16:9: error: both level and device: expected one of them, the level of nodes or the "
          "kind of "
          "devices that fail"},
         {"an unknown machine type",
          "machineType: host",
          "machineType: hots",
          "16:46: error: found 'hots': expected host (did you mean 'host'?)"},
         {"a machine type of racks",
          "level: rack, rate",
          "level: rack, machineType: host, rate",
          "15:49: error: machineType cannot be used for a cause above the servers: expected it "
          "only where servers or devices fail"},
         {"never",
          "mtbf: 100s",
          "mtbf: 0s",
          "14:44: error: found '0s': expected a duration above 0"},
         {"less than never",
          "mtbf: 100s",
          "mtbf: -3s",
          "14:44: error: found '-3s': expected a duration that is not negative, such as 10ms, 10s, "
          "5m, 24h or 7d"},
         {"a rate of zero",
          "2/1000s",
          "0/1000s",
          "15:42: error: found '0/1000s': expected failures by time, both above 0, such as "
          "6.5/1000d"},
         {"a rate without a time",
          "2/1000s",
          "2",
          "15:42: error: found '2': expected failures by time, both above 0, such as 6.5/1000d"},
         {"a rate over two units of which one is too long",
          "2/1000s",
          "2/1000000d1h",
          "15:42: error: found '2/1000000d1h': expected failures by time, both above 0, such as "
          "6.5/1000d"},
         {"two ways to say how often",
          "mtbf: 100s",
          "mtbf: 100s, rate: 1/1d",
          "14:9: error: 2 of mtbf, rate and between: expected one of them, such as mtbf: 400d"},
         {"times of which all are 0",
          "values: [500s, 900s]",
          "values: [0s, 0s]",
          "17:19: error: found a map: expected times with a mean above 0"},
         {"a shape that is missing",
          "mtbf: 100s",
          "mtbf: 100s, distribution: weibull",
          "14:9: error: a cause of failures has no 'shape': expected one"},
         {"no repair",
          ", repair: 20s}",
          "}",
          "15:9: error: a cause of failures has no 'repair': expected one"},
         {"a name twice",
          "name: power",
          "name: board",
          "15:9: error: a second cause 'board': expected a name of its own"},
         {"a share above 1",
          "share: 0.5",
          "share: 1.5",
          "18:21: error: found '1.5': expected a number from 0 to 1"},
         {"no crew",
          "crews: 2",
          "crews: 0",
          "19:12: error: found '0': expected a whole number from 1 to 4294967295"},
         {"an unknown key",
          "crews: 2",
          "crew: 2",
          "19:5: error: unknown key 'crew' in failures: expected events, random, csv, file, zero, "
          "lemons, crews, quarantine or detection (did you mean 'crews'?)"},
         {"a time that is none",
          "crews: 2",
          "detection: soon",
          "19:16: error: found 'soon': expected a duration such as 10ms, 10s, 5m, 24h or 7d"},
         {"detection of what is said to fail",
          sound.substr(sound.find("    random:")),
          "    events: [{at: 1s, node: server-0, event: fail}]\n    detection: 5m\n",
          "14:16: error: detection has no effect without random or file, since events are known at "
          "once: expected one of them as well"}});
}

TEST_CASE("failures of a file are refused where they are wrong", "[cli][bad-input]") {
    const Folder folder;
    const std::string experiment =
        sound.substr(0, sound.find("    random:")) + "    file: failures.csv\n";
    folder.write("e.yaml", experiment);
    const auto refusal = [&](const std::string& table) {
        folder.write("failures.csv", table);
        const Answer answer = folder.berth({"run", "e.yaml", "-o", "out"});
        CHECK(answer.status == 2);
        return answer.first_line();
    };
    CHECK(refusal("time_s,component,event\n1,server-9,fail\n") ==
          "failures.csv:2:3: error: unknown component 'server-9': expected a node of the topology");
    CHECK(refusal("time_s,component,event\n1,server-0,fails\n") ==
          "failures.csv:2:12: error: 'fails': expected fail or repair");
    CHECK(refusal("time_s,component,event\n-1,server-0,fail\n") ==
          "failures.csv:2:1: error: '-1': expected seconds, 0 or more");
    CHECK(refusal("time_s,component\n") ==
          "failures.csv:1:1: error: no column 'event': expected it in the header");
    folder.write("e.yaml", experiment + "    crews: 2\n");
    CHECK(refusal("time_s,component,event\n").find("crews has no effect without random") !=
          std::string::npos);
}

TEST_CASE("failures of a file happen as it says", "[cli][failures]") {
    const Folder folder;
    folder.write("e.yaml", sound.substr(0, sound.find("    random:")) + "    file: failures.csv\n");
    folder.write("failures.csv",
                 "cause,time_s,component,event\n"
                 "power,30.5,rack-1,fail\n"
                 ",10,server-0,fail\n"
                 "again,12,server-0,fail\n"
                 ",20,server-0,repair\n"
                 ",21,server-0,repair\n");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    const std::string table = folder.read("out/failures.csv");
    CHECK(table.find("replication,time_s,component,level,cause,repaired_s,jobs\n") == 0);
    const auto rows = csv_rows(table);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("component") == "server-0");
    CHECK(rows[0].at("cause") == "recorded");
    CHECK(rows[0].at("repaired_s") == "20");
    CHECK(rows[1].at("time_s") == "30.5");
    CHECK(rows[1].at("level") == "rack");
    CHECK(rows[1].at("repaired_s").empty());
}

TEST_CASE("failures are the same under two policies, and again", "[cli][failures]") {
    const Folder folder;
    folder.write("e.yaml", sound + "  until: 1000s\n");
    const auto outages = [&](const std::vector<std::string>& more) {
        Arguments arguments{"run", "e.yaml", "-q", "-o", "out"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        (void)done(folder, arguments);
        std::vector<std::string> out;
        for (const CsvRow& row : csv_rows(folder.read("out/failures.csv"))) {
            out.push_back(row.at("time_s") + row.at("component") + row.at("repaired_s"));
        }
        return out;
    };
    const auto fifo = outages({});
    REQUIRE(fifo.size() > 10);
    CHECK(outages({"--set", "spec.scheduler.profile.queueSort=shortest-job"}) == fifo);
    CHECK(outages({"--seed", "2"}) != fifo);
}

TEST_CASE("failures are those of the run in what is told of a job", "[cli][failures][why]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound, "count: 4,", "count: 20,"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    REQUIRE(csv_rows(folder.read("out/failures.csv")).size() > 5);
    for (const CsvRow& row : csv_rows(folder.read("out/jobs.csv"))) {
        const Answer answer = folder.berth({"why", "out", row.at("job")});
        CHECK(answer.status == 0);
        CHECK(answer.err.empty());
    }
}

TEST_CASE("failures are counted over times that no run lasts", "[cli]") {
    // 110 592 days are longer than any time in a run: 148 failures in them are one in 747.24 days.
    const Folder folder;
    const auto failures = [&](const std::string& rate) {
        const std::string both = "mtbf: 100s, repair: {mean: 10s}";
        folder.write("failing.yaml", replaced(sound, both, "rate: " + rate + ", repair: 1s"));
        (void)done(folder, {"run", "failing.yaml", "-q", "-o", "out"});
        return folder.read("out/failures.csv");
    };
    CHECK(failures("110592000/110592d") == failures("1000/1d"));
}

TEST_CASE("failures: a run that gave jobs up says so", "[cli]") {
    const Folder folder;
    const std::string given_up =
        "warning: given up: 1 job was dropped after 2 interruptions by failures";
    for (const auto& [after, told] : {std::pair("2", true), std::pair("3000", false)}) {
        folder.write("failing.yaml",
                     sound +
                         "  until: 3000s\n  scheduler: {onFailure: {name: requeue, giveUpAfter: " +
                         after + "}}\n");
        const Answer answer = folder.berth({"run",
                                            "failing.yaml",
                                            "-q",
                                            "--set",
                                            "spec.workload=[{pods: [{type: one, at: 1s, lifetime: "
                                            "2000s}]}]",
                                            "-o",
                                            after});
        CHECK(answer.status == 0);
        CHECK((answer.err.find(given_up) != std::string::npos) == told);
        const bool in_summary =
            folder.read(std::string(after) + "/summary.json").find("given up: 1 job") !=
            std::string::npos;
        CHECK(in_summary == told);
    }
}

TEST_CASE("failures: who did not start with its group was not given up", "[cli]") {
    const Folder folder;
    folder.write(
        "failing.yaml",
        sound + "  until: 3000s\n  scheduler: {onFailure: {name: requeue, giveUpAfter: 3000}}\n");
    const Answer answer = folder.berth({"run",
                                        "failing.yaml",
                                        "-q",
                                        "--set",
                                        "spec.workload=[{groups: [{document: {kind: "
                                        "GroupPlacement, spec: {group: {name: g, size: 6, "
                                        "minAvailable: 1, type: one}}}, at: 1s, lifetime: 200s}]}]",
                                        "-o",
                                        "out"});
    CHECK(answer.status == 0);
    const auto pods = csv_rows(folder.read("out/pods.csv"));
    CHECK(std::ranges::count(pods, "dropped", [](const CsvRow& row) { return row.at("outcome"); }) >
          0);
    CHECK(answer.err.find("given up") == std::string::npos);
}

TEST_CASE("failures: the time until one is detected is told apart", "[cli]") {
    const Folder folder;
    folder.write("at-once.yaml", sound);
    folder.write("later.yaml",
                 replaced(replaced(sound, "crews: 2", "crews: 2\n    detection: 30s"),
                          "count: 4,",
                          "count: 40,"));
    (void)done(folder, {"run", "at-once.yaml", "-q", "-o", "at-once"});
    (void)done(folder, {"run", "later.yaml", "-q", "-o", "later", "--check-invariants"});
    CHECK_FALSE(csv_rows(folder.read("at-once/jobs.csv")).at(0).contains("hung_s"));
    const auto failures = csv_rows(folder.read("later/failures.csv"));
    REQUIRE(!failures.empty());
    for (const CsvRow& row : failures) {
        const double failed = std::stod(row.at("time_s"));
        CHECK((row.at("repaired_s").empty() || std::stod(row.at("repaired_s")) >= failed + 30));
    }
    double hung = 0;
    for (const CsvRow& row : csv_rows(folder.read("later/jobs.csv"))) {
        hung += std::stod(row.at("hung_s"));
    }
    CHECK(hung > 0);
}

TEST_CASE("failures: a run that records no placements writes no evictions either", "[cli]") {
    const Folder folder;
    folder.write("failing.yaml", sound);
    for (const char* placements : {"true", "false"}) {
        (void)done(folder,
                   {"run",
                    "failing.yaml",
                    "-q",
                    "--set",
                    std::string("spec.record.placements=") + placements,
                    "-o",
                    placements});
        CHECK(std::filesystem::exists(folder.path() / placements / "failures.csv"));
        CHECK(std::filesystem::exists(folder.path() / placements / "evictions.csv") ==
              (placements[0] == 't'));
    }
}
