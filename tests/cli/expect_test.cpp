// What spec.expect demands from a run: its forms, the interval that has to lie in a range, and the
// message about a missed expectation.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

TEST_CASE("expect: a run fails whose metrics are not as expected", "[cli][expect]") {
    const Folder folder;
    folder.write("met.yaml",
                 sound_experiment +
                     "  expect: {success_rate: [0.5, 1], pods_submitted: {min: 5}, "
                     "groups_submitted: 1, wait_s_mean: {max: 1e9}}\n");
    CHECK_THAT(done(folder, {"run", "met.yaml", "-o", "met"}),
               Catch::Contains("as expected groups_submitted: expected 1, measured 1\n"));
    const Answer missed = folder.berth({"run",
                                        "met.yaml",
                                        "-q",
                                        "-o",
                                        "missed",
                                        "--set",
                                        "spec.expect.groups_submitted={min: 2}",
                                        "--set",
                                        "spec.expect.pods_submitted={max: 4}"});
    CHECK(missed.status == 1);
    CHECK_THAT(missed.err,
               Catch::StartsWith("pods_submitted: expected at most 4, measured ") &&
                   Catch::EndsWith("\ngroups_submitted: expected at least 2, measured 1\n"));
    const auto list = nlohmann::json::parse(folder.read("missed/summary.json")).at("expectations");
    REQUIRE(list.size() == 4);
    CHECK(list[2] == nlohmann::json{{"metric", "groups_submitted"},
                                    {"expected", "at least 2"},
                                    {"measured", "1"},
                                    {"holds", false}});
    // Without expectations, the output is the same as before.
    folder.write("none.yaml", sound_experiment);
    (void)done(folder, {"run", "none.yaml", "-o", "none"});
    CHECK_FALSE(nlohmann::json::parse(folder.read("none/summary.json")).contains("expectations"));
}

TEST_CASE("expect: a wrong expectation is refused where it is wrong", "[cli][expect][bad-input]") {
    check_mistakes(
        "run",
        sound_experiment + "  expect:\n    wait_s_mean: {max: 1e9}\n",
        {{"no such metric",
          "wait_s_mean",
          "wait_s_maen",
          "37:5: error: unknown metric 'wait_s_maen': expected one of this run's 74 (did you mean "
          "'wait_s_mean'?)"},
         {"no map",
          "\n    wait_s_mean: {max: 1e9}",
          " 7",
          "36:11: error: found '7': expected a map "
          "from metrics to ranges, such as {success_rate: [0.9, 1]}"},
         {"no range",
          "{max: 1e9}",
          "[1, 2, 3]",
          "37:18: error: found a list: expected a number, [least, most] or {min: ..., max: ...}"},
         {"no bound",
          "{max: 1e9}",
          "{}",
          "37:18: error: found an empty map: expected min, max or both"},
         {"no time",
          "{max: 1e9}",
          "{max: soon}",
          "37:24: error: found 'soon': expected a number of seconds, or a duration such as 10ms, "
          "10s, 5m, 24h or 7d"},
         {"a decimal comma",
          "{max: 1e9}",
          "{max: '1,5'}",
          "37:24: error: found '1,5': expected a number of seconds, or a duration such as 10ms, "
          "10s, 5m, 24h or 7d (did you mean 1.5?)"},
         {"no time that a run can last",
          "{max: 1e9}",
          "{max: 200000.5d}",
          "37:24: error: found '200000.5d': expected a number of seconds, or a duration of at most "
          "106751d, which is 292 years"},
         {"a duration of something else",
          "wait_s_mean: {max: 1e9}",
          "pods_submitted: {max: 10m}",
          "37:27: error: found '10m': expected a number"},
         {"no share",
          "wait_s_mean: {max: 1e9}",
          "success_rate: {max: 10m}",
          "37:25: error: found '10m': expected a share such as 0.9, or 90%"},
         {"another confidence",
          "{max: 1e9}",
          "{max: 1e9, confidence: 0.9}",
          "37:41: error: found '0.9': expected none, which goes by the mean; without it the 95 % "
          "interval has to lie in the range"},
         {"the wrong way round",
          "{max: 1e9}",
          "[2, 1]",
          "37:18: error: 2 above 1: expected the least first"},
         {"an unknown bound",
          "{max: 1e9}",
          "{mox: 1}",
          "37:19: error: unknown key 'mox' in an expectation: expected min, max or confidence (did "
          "you mean 'max'?)"}});
}

namespace {

/// Jobs that wait for a random time, in ten replications.
std::string expecting(const std::string& expect, const std::string& until = "12h") {
    return "kind: Experiment\nmetadata: {name: x}\nspec:\n  replications: 10\n"
           "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: a}], "
           "machineTypes: {a: {capacity: {cpu: 4}}}}}\n"
           "  types: {one: {cpu: 4}}\n"
           "  workload: [{generate: {type: one, arrivals: {distribution: exponential, mean: 7m}, "
           "service: {distribution: exponential, mean: 10m}, until: " +
           until + "}}]\n  expect: " + expect + "\n";
}

/// Whether the first expectation holds, and the message about what was measured.
std::pair<bool, std::string> verdict(const std::string& experiment) {
    const Folder folder;
    folder.write("x.yaml", experiment);
    const Answer answer = folder.berth({"run", "x.yaml", "-q"});
    const auto first =
        nlohmann::json::parse(folder.read("out/x/summary.json")).at("expectations").at(0);
    CHECK(answer.status == (first.at("holds") ? 0 : 1));
    return {first.at("holds"), first.at("measured")};
}

}  // namespace

TEST_CASE("expect: a bound holds when the worse end of the interval does", "[cli][expect]") {
    const Folder folder;
    folder.write("x.yaml", expecting("{wait_s_mean: {max: 1d}}"));
    CHECK_THAT(done(folder, {"run", "x.yaml"}),
               Catch::Contains("as expected wait_s_mean: expected at most 86400, measured ") &&
                   !Catch::Contains("one replication has no interval"));
    const auto wait =
        nlohmann::json::parse(folder.read("out/x/summary.json")).at("metrics").at("wait_s_mean");
    const double mean = wait.at("mean");
    const double half = wait.at("ci95");
    REQUIRE(half > 0);
    const auto bound = [](const char* key, double value, const std::string& more = "") {
        return expecting(fmt::format("{{wait_s_mean: {{{}: {}{}}}}}", key, value, more));
    };
    CHECK(verdict(bound("max", mean + 1.01 * half)).first);
    CHECK(verdict(bound("min", mean - 1.01 * half)).first);
    const auto [above, at_worst] = verdict(bound("max", mean + 0.99 * half));
    CHECK_FALSE(above);
    CHECK_THAT(at_worst, Catch::EndsWith(fmt::format(", at worst {:.6g}", mean + half)));
    CHECK_FALSE(verdict(bound("min", mean - 0.99 * half)).first);
    CHECK(verdict(bound("max", mean + 0.99 * half, ", confidence: none")).first);
    CHECK(verdict(expecting(fmt::format("{{wait_s_mean: {{max: {}}}, confidence: none}}",
                                        mean + 0.01 * half)))
              .first);
    // If even the mean misses the bound, the end of the interval is left out, since it adds
    // nothing.
    CHECK_THAT(verdict(bound("max", mean / 2)).second, !Catch::Contains("at worst"));
}

TEST_CASE("expect: an interval ends where its metric does", "[cli][expect]") {
    // Utilization cannot exceed 100 %, and no fewer than zero pods wait.
    CHECK(verdict(expecting("{cpu_utilization: [0, 100%]}", "20m")).first);
    CHECK(verdict(expecting("{pods_waiting: [0, 1e9]}")).first);
}

TEST_CASE(
    "expect: with one replication the value itself is held against the range, and that is "
    "said",
    "[cli][expect]") {
    const Folder folder;
    const std::string one =
        replaced(expecting("{success_rate: {min: 50%}}"), "replications: 10", "replications: 1");
    folder.write("x.yaml", one);
    CHECK_THAT(done(folder, {"run", "x.yaml"}),
               Catch::Contains("as expected success_rate: expected at least 0.5, measured 1\n") &&
                   Catch::Contains("\n  (expected values are held against the measured ones: one "
                                   "replication has no interval)\n"));
    folder.write("x.yaml", replaced(one, "{min: 50%}", "{min: 50%, confidence: none}"));
    CHECK_THAT(done(folder, {"run", "x.yaml"}),
               !Catch::Contains("one replication has no interval)"));
}

TEST_CASE("expect: a percentile for which the run is too short fails", "[cli][expect]") {
    const Folder folder;
    folder.write("x.yaml", expecting("{job_wait_s_p95: {max: 9d}, job_wait_s_p50: {max: 9d}}"));
    const Answer answer = folder.berth({"run", "x.yaml", "-q"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err,
               Catch::Contains("x: warning: short: a replication has about ") &&
                   Catch::Contains("\njob_wait_s_p95: expected at most 777600, measured ") &&
                   Catch::EndsWith(", and too low, since the run is short for it\n") &&
                   !Catch::Contains("job_wait_s_p50: "));
    CHECK_FALSE(verdict(expecting("{wait_s_p99: {max: 9d}}")).first);
    CHECK(verdict(expecting("{job_wait_s_p95: {max: 9d, confidence: none}}")).first);
}
