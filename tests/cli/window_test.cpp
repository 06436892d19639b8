#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;
using Catch::Contains;

namespace {

/// Pods with one CPU that come every ten seconds.
std::string steady(const std::string& cpus,
                   const std::string& service,
                   const std::string& until,
                   const std::string& more) {
    return "kind: Experiment\n"
           "metadata: {name: steady}\n"
           "spec:\n"
           "  seed: 3\n"
           "  replications: 3\n"
           "  topology:\n"
           "    spec:\n"
           "      levels: [{name: server, count: 1}]\n"
           "      machines: [{type: big}]\n"
           "      machineTypes: {big: {capacity: {cpu: " +
           cpus +
           "}}}\n"
           "  types: {one: {cpu: 1}}\n"
           "  workload:\n"
           "    - generate:\n"
           "        name: pods\n"
           "        arrivals: {distribution: exponential, mean: 10s}\n"
           "        service: {distribution: constant, value: " +
           service +
           "}\n"
           "        mix: [{type: one}]\n"
           "        until: " +
           until + "\n" + more;
}

nlohmann::json summary_of(const Folder& folder, const std::string& run) {
    return nlohmann::json::parse(folder.read(run + "/summary.json"));
}

double mean(const nlohmann::json& summary, const std::string& metric) {
    return summary.at("metrics").at(metric).at("mean");
}

std::string fingerprint(const Folder& folder, const std::string& run) {
    return nlohmann::json::parse(folder.read(run + "/manifest.json")).at("fingerprint");
}

}  // namespace

TEST_CASE("window: metrics are about it, and files hold everything", "[cli][window]") {
    const Folder folder;
    folder.write("whole.yaml", steady("8", "60s", "2000s", ""));
    folder.write("part.yaml", steady("8", "60s", "2000s", "  record: {from: 500s, to: 1500s}\n"));
    (void)done(folder, {"run", "whole.yaml", "-o", "whole"});
    CHECK_THAT(done(folder, {"run", "part.yaml", "-o", "part"}),
               Contains("the metrics cover 8.33 min to 25 min (fixed)"));
    CHECK(folder.read("part/pods.csv") == folder.read("whole/pods.csv"));
    CHECK(fingerprint(folder, "part") == fingerprint(folder, "whole"));
    CHECK_FALSE(summary_of(folder, "whole").contains("window"));
    const nlohmann::json summary = summary_of(folder, "part");
    CHECK(summary.at("window") ==
          nlohmann::json({{"from_s", 500}, {"to_s", 1500}, {"rule", "fixed"}}));
    double pods = 0;
    double busy = 0;
    for (const CsvRow& row : csv_rows(folder.read("part/pods.csv"))) {
        const double submit = std::stod(row.at("submit_s"));
        pods += submit >= 500 && submit < 1500 ? 1 : 0;
        busy += std::max(0.0,
                         std::min(1500.0, std::stod(row.at("finish_s"))) -
                             std::max(500.0, std::stod(row.at("start_s"))));
    }
    CHECK(mean(summary, "pods_submitted") == Approx(pods / 3));
    CHECK(mean(summary, "cpu_utilization") == Approx(busy / 3 / 8 / 1000));
    CHECK(mean(summary, "measured_s") == 1000);
}

TEST_CASE("window: warmUp: auto finds one, the same at any thread count", "[cli][window]") {
    const Folder folder;
    folder.write("auto.yaml", steady("500", "4000s", "20000s", "  record: {warmUp: auto}\n"));
    CHECK_THAT(done(folder, {"run", "auto.yaml", "-o", "one", "-j1"}), Contains("(mser-5)"));
    (void)done(folder, {"run", "auto.yaml", "-o", "three", "-j3"});
    (void)done(folder, {"run", "one/experiment.yaml", "-o", "again", "-j2"});
    const nlohmann::json window = summary_of(folder, "one").at("window");
    CHECK(window.at("rule") == "mser-5");
    // No pod leaves before 4000 s.
    CHECK(window.at("from_s") > 3000);
    CHECK(window.at("from_s") < 6000);
    CHECK(window.at("to_s") > 19000);
    CHECK(window.at("to_s") <= 20000);
    for (const char* file : {"summary.json", "replications.csv", "pods.csv", "manifest.json"}) {
        CAPTURE(file);
        CHECK(folder.read(std::string("three/") + file) == folder.read(std::string("one/") + file));
        CHECK(folder.read(std::string("again/") + file) == folder.read(std::string("one/") + file));
    }
    // None of the 400 pods in the system at that time waits.
    CHECK(mean(summary_of(folder, "one"), "cpu_utilization") == Approx(0.8).epsilon(0.05));
    CHECK_FALSE(summary_of(folder, "one").contains("warnings"));
}

TEST_CASE("window: a fixed warm-up is another word for from", "[cli][window]") {
    const Folder folder;
    folder.write("a.yaml", steady("8", "60s", "2000s", "  record: {warmUp: 500s}\n"));
    folder.write("b.yaml", steady("8", "60s", "2000s", "  record: {from: 500s}\n"));
    (void)done(folder, {"run", "a.yaml", "-o", "a", "--quiet"});
    (void)done(folder, {"run", "b.yaml", "-o", "b", "--quiet"});
    CHECK(folder.read("a/summary.json") == folder.read("b/summary.json"));
}

TEST_CASE("window: means that mislead are warned of, with the remedy", "[cli][window]") {
    struct Row {
        std::string cpus;
        std::string service;
        std::string until;
        std::string more;
        std::vector<std::string> begin;  ///< Beginnings of the warnings.
    };
    const Row row =
        GENERATE(Row{"2000", "8000s", "20000s", "", {"warm-up: ", "drain: "}},
                 Row{"2000", "8000s", "20000s", "  record: {from: 8000s, to: 20000s}\n", {}},
                 Row{"8", "100s", "20000s", "", {"not stationary: "}},
                 Row{"8", "24s", "40000s", "", {}},
                 // Too few jobs to say anything, and jobs that outlast the arrivals.
                 Row{"2000", "200s", "500s", "", {}},
                 Row{"2000", "19000s", "20000s", "", {}});
    CAPTURE(row.cpus, row.service, row.more);
    const Folder folder;
    folder.write("e.yaml", steady(row.cpus, row.service, row.until, row.more));
    const Answer answer = folder.berth({"run", "e.yaml", "-o", "r", "--quiet"});
    REQUIRE(answer.status == 0);
    const nlohmann::json summary = summary_of(folder, "r");
    const auto warnings = summary.value("warnings", std::vector<std::string>());
    CAPTURE(warnings);
    REQUIRE(warnings.size() == row.begin.size());
    for (std::size_t i = 0; i < warnings.size(); ++i) {
        CHECK_THAT(warnings[i], Catch::StartsWith(row.begin[i]));
        CHECK_THAT(answer.err, Contains("steady: warning: " + warnings[i]));
    }
}

TEST_CASE("window: what it cannot be is refused", "[cli][window]") {
    struct Row {
        std::string record;
        std::string message;
    };
    const Row row =
        GENERATE(Row{"from: 1s, warmUp: auto", "expected no warmUp beside 'from': both say where"},
                 Row{"warmUp: soon", "expected auto, or a duration such as 10ms, 10s"},
                 Row{"from: 5s, to: 5s", "expected a time after 5 s, where the window begins"},
                 Row{"from: 100s", "expected a time before 'until'"},
                 Row{"to: 101s", "expected a time no later than 'until', where the run ends"},
                 Row{"form: 5s", "unknown key 'form'"});
    CAPTURE(row.record);
    const Folder folder;
    folder.write("e.yaml",
                 steady("8", "60s", "50s", "  until: 100s\n  record: {" + row.record + "}\n"));
    const Answer answer = folder.berth({"run", "e.yaml", "-o", "r"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Contains(row.message));
    CHECK_THAT(answer.first_line(), Catch::StartsWith("e.yaml:"));
}

TEST_CASE("until: averages and samples go on to it when the work has ended", "[cli][window]") {
    const Folder folder;
    folder.write("e.yaml",
                 steady("1", "100s", "10s", "  until: 1000s\n  record: {sampleEvery: 250s}\n"));
    (void)done(folder, {"run", "e.yaml", "-o", "r", "--quiet"});
    std::map<std::string, std::vector<std::string>> times;
    for (const CsvRow& row : csv_rows(folder.read("r/timeseries.csv"))) {
        times[row.at("replication")].push_back(row.at("time_s"));
    }
    CHECK(times.size() == 3);
    for (const auto& [replication, list] : times) {
        CHECK(list == std::vector<std::string>{"0", "250", "500", "750", "1000"});
    }
    double busy = 0;
    for (const CsvRow& row : csv_rows(folder.read("r/pods.csv"))) {
        busy += std::stod(row.at("finish_s")) - std::stod(row.at("start_s"));
    }
    CHECK(mean(summary_of(folder, "r"), "cpu_utilization") == Approx(busy / 3 / 1000));
    CHECK(mean(summary_of(folder, "r"), "end_s") == 1000);
}
