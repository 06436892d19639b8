#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Jobs of one CPU that come every 10 s and take 40 s: 4 servers are never enough, 7 keep the 95th
/// percentile of waits below 22 s, and 6 do not.
const std::string queue = R"(kind: Experiment
metadata: {name: queue}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 1}}}
  types: {one: {cpu: 1}}
  workload:
    - generate:
        arrivals: {distribution: exponential, mean: 10s}
        service: {distribution: exponential, mean: 40s}
        count: 4000
        type: one
  record: {from: 2000s, to: 38000s, sampleEvery: 100000s}
)";

/// A plan over this experiment; `rest` are lines of its spec.
std::string plan(const std::string& rest) {
    return "kind: Plan\nmetadata: {name: p}\nspec:\n  experiment: {file: queue.yaml}\n" + rest;
}

const std::string servers =
    "  choose: [{path: 'levels[server].count', range: {from: 5, to: 12, step: 1}}]\n";

nlohmann::json answered(const Folder& folder, const Arguments& arguments, int status = 0) {
    Arguments all{"plan"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--json", "-q"});
    const Answer answer = folder.berth(all);
    CAPTURE(answer.err);
    CHECK(answer.status == status);
    return nlohmann::json::parse(answer.out);
}

}  // namespace

TEST_CASE("plan: the smallest number of servers, from the command line and from a document",
          "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    folder.write("plan.yaml", plan(servers + "  require: ['job_wait_s_p95<=22s']\n"));
    const std::string said = done(folder,
                                  {"plan",
                                   "queue.yaml",
                                   "--choose",
                                   "levels[server].count=5..12",
                                   "--require",
                                   "job_wait_s_p95<=22s",
                                   "-o",
                                   "one"});
    CHECK_THAT(said, Catch::StartsWith("7 servers: job_wait_s_p95 "));
    CHECK_THAT(said, Catch::Contains("; 6 servers do not: "));
    const auto json = answered(folder, {"plan.yaml"});
    CHECK(json["answer"] == "7 servers");
    CHECK(json["one_step_less"] == "6 servers");
    CHECK(json["binds"] == "job_wait_s_p95<=22s");
    CHECK(folder.read("out/p/plan.html").find("<svg") != std::string::npos);
    // The replications of a choice are those of a run with its seed.
    CHECK(folder.read("one/results.csv") == folder.read("out/p/results.csv"));
}

TEST_CASE("plan: it goes on from its points, and writes the same for any number of threads",
          "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    folder.write("plan.yaml", plan(servers + "  require: ['job_wait_s_p95<=22s']\n"));
    const Answer first = folder.berth({"plan", "plan.yaml", "-j", "1"});
    const std::string written = folder.read("out/p/plan.json");
    const Answer second = folder.berth({"plan", "plan.yaml", "-j", "3"});
    CHECK(second.status == 0);
    CHECK_THAT(second.out, Catch::Contains("\n0 of them were run now"));
    CHECK_THAT(first.out, !Catch::Contains("\n0 of them were run now"));
    CHECK(folder.read("out/p/plan.json") == written);
    CHECK(folder.berth({"verify", "out/p"}).status == 0);
}

TEST_CASE("plan: with prices, the least costly of several kinds of things", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    // Two fast servers keep the promise, as seven slow ones do.
    const std::string choose = R"(  choose:
    - {path: 'levels[server].count', range: {from: 2, to: 9, step: 1}}
    - {name: speed, variants: {slow: {}, fast: {'spec.workload[0].generate.service.mean': 10s}}}
)";
    folder.write("dear.yaml",
                 plan(choose + "  cost: {machines: {host: 10}}\n  require: "
                               "['job_wait_s_p95<=30s']\n"));
    CHECK(answered(folder, {"dear.yaml"})["answer"] == "2 servers, speed=fast");
}

TEST_CASE("plan: no choice is enough, and the nearest is said", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    const Answer answer = folder.berth({"plan",
                                        "queue.yaml",
                                        "--choose",
                                        "levels[server].count=4..6",
                                        "--require",
                                        "job_wait_s_p95<=22s"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.out,
               Catch::StartsWith("no choice meets job_wait_s_p95<=22s: the nearest, 6 servers, "
                                 "misses by "));
}

TEST_CASE("plan: a metric that does not depend on the choice is said", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    const Answer answer = folder.berth({"plan",
                                        "queue.yaml",
                                        "--choose",
                                        "levels[server].count=5..9",
                                        "--require",
                                        "pods_submitted<=5000"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: pods_submitted does not depend on the choice: it has the "
                               "same values at all 3 choices that were tried"));
}

TEST_CASE("plan: a percentile that so few jobs cannot resolve is said", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", replaced(queue, "count: 4000", "count: 20"));
    const Answer answer = folder.berth({"plan",
                                        "queue.yaml",
                                        "--set",
                                        "spec.record=",
                                        "--choose",
                                        "levels[server].count=1..9",
                                        "--require",
                                        "job_wait_s_p99<=22s"});
    CHECK_THAT(answer.err, Catch::Contains("short: a replication has about"));
    CHECK_THAT(answer.err, Catch::Contains("times as long, or use a lower percentile"));
}

TEST_CASE("bad input: what a plan states wrongly is reported, and nothing is written",
          "[cli][bad-input][plan]") {
    const std::string require = "  require: ['job_wait_s_p95<=22s']\n";
    using Row = std::tuple<std::string, std::string>;
    const auto [text, message] = GENERATE_COPY(table<std::string, std::string>({
        Row{plan(require), "plan.yaml:4:3: error: a Plan's spec has no 'choose'"},
        Row{plan(servers), "has no 'require'"},
        Row{plan(servers + "  require: ['job_wait_s_p59<=22s']\n"),
            "unknown metric 'job_wait_s_p59': expected one of this run's "},
        Row{plan(servers + "  require: ['job_wait_s_p95=22s']\n"),
            "has no <= or >= behind a metric: expected METRIC<=VALUE"},
        Row{plan(servers + "  require: ['job_wait_s_p95<=22x']\n"),
            "'22x' is no value of job_wait_s_p95: expected a duration"},
        Row{plan(servers + require + "  confidence: 2\n"), "expected a number from 0.5"},
        Row{plan(servers + require + "  replicatons: 2\n"), "did you mean 'replications'?"},
        Row{plan(servers + require + "  cost: {machines: {hots: 1}}\n"),
            "the experiment has no machine type 'hots': expected host (did you mean 'host'?)"},
        Row{plan(servers + require + "  cost: {levels: {rack: 1}}\n"),
            "the experiment has no level 'rack': expected "},
        Row{plan(servers + require + "  cost: {paths: {until: 1}}\n"), "'until' is not chosen"},
        Row{plan("  choose: [{path: 'levels[sever].count', values: [1, 2]}]\n" + require),
            "has no entry [sever]"},
        Row{plan("  choose: [{path: until, values: [1d, soon]}]\n" + require),
            "the values of 'until' are no numbers, and nothing says what they cost: expected cost"},
        Row{plan("  choose: [{path: 'levels[server].count', values: [5, 6]}, {path: until, values: "
                 "[1d]}]\n" +
                 require),
            "several things are chosen, and nothing says what they cost: expected cost"},
        Row{plan("  choose: [{path: 'levels[server].count', values: [5, 8, 6]}]\n" + require),
            "the cost rises and falls along 'servers', of which more is taken to help: expected "
            "values in the order of their cost, or monotone: false"},
        Row{plan("  choose: [{name: s, path: seed, values: [5, 8]}]\n" + require),
            "spec.seed too: expected it to be set once"},
    }));
    CAPTURE(text);
    const Folder folder;
    folder.write("queue.yaml", queue);
    folder.write("plan.yaml", text);
    for (const char* command : {"plan", "validate"}) {
        const Answer answer = folder.berth({command, "plan.yaml"});
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK_THAT(answer.first_line(), Catch::Contains(message));
    }
    CHECK(folder.listing() == std::vector<std::string>{"plan.yaml", "queue.yaml"});
}

TEST_CASE("bad input: options of a plan that say nothing", "[cli][bad-input][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    CHECK_THAT(folder.berth({"plan", "queue.yaml"}).first_line(),
               Catch::StartsWith("berth plan: error: nothing is chosen: expected --choose "));
    CHECK_THAT(folder.berth({"plan", "queue.yaml", "--choose", "seed=1..2"}).first_line(),
               Catch::StartsWith("berth plan: error: nothing is required: expected --require "));
    const Answer answer =
        folder.berth({"plan", "queue.yaml", "--choose", "seed", "--require", "job_wait_s_p95<=1m"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "--choose: error: found 'seed': expected PATH=FROM..TO, "
          "PATH=FROM..TO..STEP or PATH=VALUE,VALUE, such as 'levels[rack].count=4..12'");
}
