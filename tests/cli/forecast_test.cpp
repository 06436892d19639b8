// berth forecast, on an invented month of jobs of four users.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

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
    const double median = answer.at("jobs").back().at("start_s").at("p50");
    double least = median;
    for (const json& change : answer.at("changes")) {
        least = std::min(least, change.at("start_s").at("p50").get<double>());
    }
    CHECK(least < median);
    // A change helps if it brings the start forward by a tenth, and by a minute.
    CHECK(answer.at("cheapest").is_string() == (least <= median - std::max(median / 10, 60.0)));
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
    refused({"forecast", "month.yaml", "--at", "5d"}, "--at with a document");
    refused({"forecast", "month.yaml"}, "no state");
    refused({"forecast", "out", "--at", "5d", "--run-times", "guessed"},
            "learned, pooled or limits");
}
