// berth forecast, on an invented month of jobs of four users.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>

#include "tests/cli/folder.hpp"

using namespace berth::tests;
using nlohmann::json;

namespace {

/// A number between 0 and 1 for each index: the first one of a generator of its own.
double uniform(std::uint64_t index) {
    std::mt19937_64 bits(index * 0x9e3779b97f4a7c15U + 1);
    bits.discard(4);
    return static_cast<double>(bits() >> 11) / 9007199254740992.0;
}
constexpr std::uint64_t gaps = 10'000'000;
constexpr std::uint64_t parts = 20'000'000;
constexpr std::uint64_t users = 30'000'000;

/// A month in which each user's jobs of one half-day run for much the same part of their limits, or
/// each job for a part of its own.
std::string month(bool alike) {
    std::string out = "name,user,submit,run_time,time_limit,cpu\n";
    double at = 0;
    for (int i = 0; at < 30 * 86400; ++i) {
        const auto number = static_cast<std::uint64_t>(i);
        at += 900 * (uniform(gaps + number) + 0.5);
        const auto user = static_cast<std::uint64_t>(uniform(users + number) * 4);
        const auto half_day = static_cast<std::uint64_t>(at / 43200);
        const double mood = uniform(parts + 1'000'000 + half_day * 4 + user);
        const double drawn =
            alike ? 0.9 * mood + 0.1 * uniform(parts + number) : uniform(parts + number);
        const double part = drawn * drawn * drawn;  // Most jobs end long before their limits.
        out += "job-" + std::to_string(i) + ",user-" + std::to_string(user) + "," +
               std::to_string(static_cast<int>(at)) + "," +
               std::to_string(static_cast<int>(60 + part * 14340)) + ",14400," +
               std::to_string(2 + static_cast<int>(uniform(users + 500'000 + number) * 6)) + "\n";
    }
    return out;
}

constexpr const char* experiment = R"(kind: Experiment
metadata: {name: month}
spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: node}]
      machineTypes: {node: {capacity: {cpu: 20}}}
  workload: [{trace: {format: csv, file: month.csv}}]
  scheduler: {profile: {queueSort: easy-backfill}}
)";

void run_month(const Folder& folder, bool alike) {
    folder.write("month.csv", month(alike));
    folder.write("month.yaml", experiment);
    (void)done(folder, {"run", "month.yaml", "--quiet", "-o", "out"});
}

/// How many starts in percent, by moment, lay in intervals of 80 %.
double covered(const Folder& folder, Arguments more = {}) {
    Arguments all{"forecast", "out", "--check", "40", "--replications", "40", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return json::parse(done(folder, all)).at("check").at("intervals")[1].at("by_moment");
}

}  // namespace

TEST_CASE("forecast: intervals cover what they say, and what is left out shows", "[cli]") {
    const Folder folder;
    run_month(folder, true);
    CHECK(covered(folder) > 65);
    CHECK(covered(folder, {"--run-times", "limits", "--independent", "--no-arrivals"}) < 50);
    CHECK(covered(folder, {"--independent"}) < 70);
}

TEST_CASE("forecast: jobs that do not resemble each other need no dependence", "[cli]") {
    const Folder folder;
    run_month(folder, false);
    const double pooled = covered(folder, {"--run-times", "pooled", "--independent"});
    CHECK(pooled > 72);
    CHECK(pooled < 88);
}

TEST_CASE("forecast: the same bytes for any number of threads", "[cli]") {
    const Folder folder;
    run_month(folder, true);
    const auto forecast = [&](const std::string& threads, const std::string& seed) {
        return done(folder,
                    {"forecast", "out", "--at", "20d", "--json", "-j", threads, "--seed", seed});
    };
    const std::string one = forecast("1", "1");
    CHECK(one == forecast("3", "1"));
    CHECK(one != forecast("1", "2"));
    const json answer = json::parse(one);
    CHECK(answer.at("schema") == "berth.forecast/v1");
    REQUIRE(!answer.at("jobs").empty());
    for (const json& job : answer.at("jobs")) {
        const json& start = job.at("start_s");
        CHECK(start.at("p10") <= start.at("p50"));
        CHECK(start.at("p50") <= start.at("p90"));
        CHECK(start.at("p10") >= 0);
        CHECK(job.at("waits_for") != "");
    }
}

TEST_CASE("forecast: a proposed job is tried in other forms", "[cli]") {
    const Folder folder;
    run_month(folder, true);
    folder.write(
        "mine.yaml",
        "groups:\n  - document:\n      apiVersion: berth/v1\n      kind: GroupPlacement\n"
        "      metadata: {name: mine}\n      spec: {group: {name: mine, size: 4, type: four}}\n"
        "    user: user-1\n    estimate: 4h\n");
    folder.write("typed.yaml",
                 replaced(experiment, "spec:\n", "spec:\n  types: {four: {cpu: 4}}\n"));
    (void)done(folder, {"run", "typed.yaml", "--quiet", "-o", "out"});
    const json answer = json::parse(
        done(folder, {"forecast", "out", "--at", "20d", "--job", "mine.yaml", "--json"}));
    CHECK(answer.at("asked") == "mine");
    CHECK(answer.at("jobs").back().at("proposed") == true);
}

TEST_CASE("forecast: what fails later is not known", "[cli]") {
    const Folder folder;
    folder.write("month.csv", month(true));
    const auto forecast = [&](const std::string& more) {
        folder.write("month.yaml", experiment + more);
        (void)done(folder, {"run", "month.yaml", "--quiet", "-o", "out"});
        return done(folder,
                    {"forecast",
                     "out",
                     "--at",
                     "20d",
                     "--replications",
                     "20",
                     "--json",
                     "--horizon",
                     "5d"});
    };
    const std::string sound = forecast("");
    CHECK(sound == forecast("  failures: {events: [{at: 481h, node: host-0, event: fail}]}\n"));
    // What has failed is out: nothing starts while the only server is.
    folder.write("out.csv", "time_s,component,event\n1720000,host-0,fail\n1740000,host-0,repair\n");
    const json out = json::parse(forecast("  failures: {file: out.csv}\n"));
    REQUIRE(!out.at("jobs").empty());
    for (const json& job : out.at("jobs")) {
        CHECK(job.at("start_s").at("p10").is_null());
    }
}

TEST_CASE("forecast: quotas that changed before are those of now", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "name,user,queue,submit,run_time,time_limit,cpu\n"
                 "a,ann,q,0,36000,36000,4\nb,ann,q,7200,3600,3600,4\n");
    folder.write("quotas.yaml", R"(kind: Experiment
metadata: {name: quotas}
spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: node}]
      machineTypes: {node: {capacity: {cpu: 8}}}
  quotas:
    - objects: [{kind: ElasticQuota, metadata: {name: q}, spec: {min: {cpu: 0}, max: {cpu: 8}}}]
  quotaChanges: [{at: 1h, update: {name: q, max: {cpu: 4}}}]
  workload: [{trace: {format: csv, file: jobs.csv}}]
  scheduler: {profile: {queueSort: fcfs}}
)");
    (void)done(folder, {"run", "quotas.yaml", "--quiet", "-o", "out"});
    const json answer = json::parse(
        done(folder, {"forecast", "out", "--at", "3h", "--run-times", "limits", "--json"}));
    REQUIRE(answer.at("jobs").size() == 1);
    // It waits for the quota, until a ends.
    CHECK(answer.at("jobs")[0].at("start_s").at("p10") > 60);
}

TEST_CASE("forecast: an interrupt ends it without an answer", "[cli][failure]") {
    const Folder folder;
    run_month(folder, true);
    const Answer answer = folder.berth(
        {"forecast", "out", "--check", "5000", "-o", "when.html"}, {.meanwhile = [](int process) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1500));
            ::kill(process, SIGINT);
        }});
    CHECK(answer.status == 130);
    CHECK(answer.out.empty());
    CHECK(answer.err == "out: interrupted: no answer\n");
    CHECK(!std::filesystem::exists(folder.path() / "when.html"));
}

TEST_CASE("forecast: wrong questions get one line", "[cli]") {
    const Folder folder;
    run_month(folder, true);
    const auto refused = [&](const Arguments& arguments, const std::string& what) {
        const Answer answer = folder.berth(arguments);
        CAPTURE(answer.err);
        CHECK(answer.status == 2);
        CHECK(answer.err.find(what) != std::string::npos);
        CHECK(std::ranges::count(answer.err, '\n') == 1);
    };
    refused({"forecast", "out"}, "expected --at TIME");
    refused({"forecast", "out", "--at", "1s"}, "no job has ended by then");
    refused({"forecast", "out", "--at", "90d"}, "no job waits");
    refused({"forecast", "out", "--at", "20d", "--replications", "8"}, "from 9 to 10000");
    refused({"forecast", "out", "--at", "20d", "--job", "nobody"}, "no waiting job of this name");
    refused({"forecast", "out", "--check", "5", "--replications", "38"}, "at least 39");
    refused({"forecast", "out", "--check", "5", "--job", "job-1"}, "--job without a moment");
    refused({"forecast", "out", "--at", "5d", "--history", "month.csv", "--from", "csv"},
            "--history with a run");
    refused({"forecast", "month.yaml", "--at", "5d"}, "--at with a state");
    refused({"forecast", "month.yaml"}, "no state");
    refused({"forecast", "out", "--at", "20d", "--lenient"}, "--lenient without --history");
    // This is refused before anything is read.
    refused({"forecast", "missing", "--check", "40", "-o", "a.svg"},
            "a picture shows when jobs start");
    refused({"forecast", "out", "--at", "5d", "--run-times", "guessed"},
            "learned, pooled or limits");
}
