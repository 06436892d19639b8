#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <iterator>
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

TEST_CASE("plan: a metric that may not depend on the choice is said", "[cli][plan]") {
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
               Catch::Contains("warning: pods_submitted has the same values at all 3 choices that "
                               "were tried, and may not depend on the choice: expected "));
}

TEST_CASE("plan: a percentile that so few jobs cannot resolve is said", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", replaced(queue, "count: 4000", "count: 20"));
    const Answer answer = folder.berth({"plan",
                                        "queue.yaml",
                                        "--set",
                                        "spec.record=",
                                        "--choose",
                                        "levels[server].count=8..9",
                                        "--require",
                                        "job_wait_s_p99<=22s"});
    CHECK_THAT(answer.err,
               Catch::Contains("warning: few jobs: a replication has 20 pods (8 servers and 1 "
                               "more), and job_wait_s_p99 needs 300, so that three lie beyond it: "
                               "make the run 15 times as long, or use a lower percentile\n"));
}

TEST_CASE("plan: names in a picture of many choices are turned", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", replaced(queue, "count: 4000", "count: 50"));
    const auto page = [&](const std::string& range) {
        (void)folder.berth({"plan",
                            "queue.yaml",
                            "--choose",
                            "levels[server].count=" + range,
                            "--require",
                            "pods_finished<=0",
                            "-o",
                            "out"});
        return folder.read("out/plan.html");
    };
    CHECK_THAT(page("5,6"), !Catch::Contains("rotate("));
    CHECK_THAT(page("1000..3000"), Catch::Contains("transform=\"rotate(-45 "));
}

TEST_CASE("plan: its plan.yaml is the whole plan, from anywhere", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    (void)done(folder,
               {"plan",
                "queue.yaml",
                "--choose",
                "levels[server].count=6..8",
                "--require",
                "job_wait_s_p95<=22s",
                "--seed",
                "7",
                "--set",
                "spec.workload[0].generate.count=3000",
                "-o",
                "one"});
    const std::string written = folder.read("one/plan.yaml");
    std::filesystem::remove(folder.path() / "queue.yaml");
    (void)done(folder, {"plan", "one/plan.yaml", "-o", "again"});
    CHECK(folder.read("again/results.csv") == folder.read("one/results.csv"));
    CHECK(folder.read("again/plan.json") == folder.read("one/plan.json"));
    CHECK(folder.read("again/plan.yaml") == written);
}

TEST_CASE("plan: where less helps, the least costly choice is found", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    const Arguments arguments{"plan", "queue.yaml", "--choose", "levels[server].count=5..20"};
    Arguments high = arguments;
    high.insert(high.end(), {"--require", "cpu_utilization>=0.6"});
    const Answer found = folder.berth(high);
    CHECK(found.status == 0);
    CHECK_THAT(found.out, Catch::StartsWith("5 servers: cpu_utilization "));
    CHECK_THAT(found.err,
               Catch::Contains(
                   "warning: more does not always help: what is required is met by 5 servers"));
    // What is in the middle alone is not found, which is said.
    Arguments both = high;
    both.insert(both.end(), {"--require", "job_wait_s_mean<=10s"});
    const Answer missed = folder.berth(both);
    CHECK(missed.status == 1);
    CHECK_THAT(missed.out,
               Catch::StartsWith("none of the ") &&
                   Catch::Contains(" choices that were tried meets cpu_utilization>=0.6 and "
                                   "job_wait_s_mean<=10s: the nearest, "));
    CHECK_THAT(missed.err,
               Catch::Contains("choices were not tried, because ") &&
                   Catch::Contains("monotone: false under choose tries all\n"));
}

TEST_CASE("plan: the cost may fall along what is chosen, or not depend on it", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    // The slower the machine, the less it costs: four of them, or of the fastest, are asked.
    const std::string slow =
        "  choose: [{name: service, path: 'workload[0].generate.service.mean', range: {from: 10s, "
        "to: 60s, step: 5s}}]\n  cost: {paths: {'workload[0].generate.service.mean': -1}}\n"
        "  require: ['job_wait_s_p95<=22s']\n";
    folder.write("slow.yaml", plan(slow));
    const Arguments asked{"slow.yaml", "--set", "spec.topology.spec.levels[server].count=7"};
    CHECK(answered(folder, asked)["answer"] == "service=40s");
    // Nothing says what a service costs, so more of it is not taken to help, nor is less.
    const std::string two =
        "  choose:\n    - {path: 'levels[server].count', values: [6, 7]}\n    - {name: service, "
        "path: 'workload[0].generate.service.mean', values: [40s, 20s, 50s]}\n"
        "  cost: {machines: {host: 1}}\n  require: ['job_wait_s_p95<=22s']\n";
    folder.write("two.yaml", plan(two));
    CHECK(answered(folder, {"two.yaml"})["answer"] == "6 servers, service=20s");
}

TEST_CASE("plan: two paths that end alike have names of their own", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    const Answer answer = folder.berth({"plan",
                                        "queue.yaml",
                                        "--choose",
                                        "workload[0].generate.service.mean=40s,20s",
                                        "--choose",
                                        "workload[0].generate.arrivals.mean=10s,12s",
                                        "--require",
                                        "job_wait_s_p95<=22s"});
    CHECK(answer.status == 2);  // both are known, and lack a price
    CHECK_THAT(answer.err,
               Catch::Contains("several things are chosen, and nothing says what they"));
    folder.write("two.yaml",
                 plan("  choose: [{path: 'workload[0].generate.service.mean', values: [40s]}, "
                      "{path: 'workload[0].generate.arrivals.mean', values: [10s]}]\n"
                      "  cost: {machines: {host: 1}}\n  require: ['job_wait_s_p95<=1d']\n"));
    const auto json =
        answered(folder, {"two.yaml", "--set", "spec.topology.spec.levels[server].count=9"});
    CHECK(json["answer"] == "service.mean=40s, arrivals.mean=10s");
}

TEST_CASE("plan: an interrupt keeps the points, and no answer of an earlier plan stays",
          "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    const auto asked = [](const std::string& range) {
        return Arguments{"plan",
                         "queue.yaml",
                         "--choose",
                         "levels[server].count=" + range,
                         "--require",
                         "job_wait_s_p95<=22s",
                         "-o",
                         "p",
                         "-j",
                         "1"};
    };
    (void)done(folder, asked("7..8"));
    const auto points = [&] {
        const auto all = std::filesystem::directory_iterator(folder.path() / "p/points");
        return std::distance(begin(all), end(all));
    };
    const auto before = points();
    const auto interrupt = [&](int process) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(40);
        while (points() == before && std::chrono::steady_clock::now() < give_up) {
        }
        ::kill(process, SIGINT);
    };
    const Answer answer = folder.berth(asked("5..12"), {.meanwhile = interrupt});
    CHECK(answer.status == 130);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Catch::Contains("interrupted: the same command goes on from here\n"));
    CHECK(!std::filesystem::exists(folder.path() / "p/plan.json"));
    CHECK(!std::filesystem::exists(folder.path() / "p/plan.html"));
    CHECK_THAT(done(folder, asked("5..12")), Catch::StartsWith("7 servers: "));
    CHECK(folder.berth({"verify", "p"}).status == 0);
}

TEST_CASE("plan: verify knows the files of a plan", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    folder.write("plan.yaml", plan(servers + "  require: ['job_wait_s_p95<=22s']\n"));
    (void)done(folder, {"plan", "plan.yaml"});
    const Answer sound = folder.berth({"verify", "out/p"});
    CHECK(sound.status == 0);
    CHECK_THAT(sound.out + sound.err, !Catch::Contains("plan."));
    folder.write("out/p/plan.json", "{}\n");
    const Answer changed = folder.berth({"verify", "out/p"});
    CHECK(changed.status == 1);
    CHECK_THAT(changed.out + changed.err,
               Catch::Contains("plan.json was changed since the results were collected"));
    std::filesystem::remove(folder.path() / "out/p/plan.json");
    const Answer gone = folder.berth({"verify", "out/p"});
    CHECK_THAT(gone.out + gone.err, Catch::Contains("plan.json is missing: the same berth plan "));
}

TEST_CASE("plan: a choice that cannot run is named", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    // Each value is valid with the first values of the other axes, but these two are not valid
    // together.
    folder.write("plan.yaml",
                 plan("  choose:\n    - {name: type, path: 'workload[0].generate.type', values: "
                      "[one, two]}\n    - {name: two, variants: {there: {'spec.types.two': {cpu: "
                      "1}}, gone: {}}}\n    - {path: 'levels[server].count', values: [4]}\n"
                      "  cost: {paths: {'levels[server].count': 1}}\n"
                      "  require: ['job_wait_s_p95<=0s']\n"));
    const Answer answer = folder.berth({"plan", "plan.yaml"});
    CHECK(answer.status == 1);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Catch::Contains("berth: error: type=two, two=gone, 4 servers: "));
    CHECK_THAT(answer.err, Catch::Contains("unknown type 'two'"));
}

TEST_CASE("plan: equal replications are run once, and no interval is claimed", "[cli][plan]") {
    const Folder folder;
    folder.write(
        "queue.yaml",
        replaced(
            replaced(queue, "record: {from: 2000s, to: 38000s, sampleEvery: 100000s}", "until: 1h"),
            R"(    - generate:
        arrivals: {distribution: exponential, mean: 10s}
        service: {distribution: exponential, mean: 40s}
        count: 4000
        type: one
)",
            "    - pods: [{name: a, type: one, count: 8, lifetime: 1m}]\n"));
    const Arguments asked{"plan",
                          "queue.yaml",
                          "--choose",
                          "levels[server].count=1..9",
                          "--require",
                          "wait_s_max<=1m"};
    const std::string said = done(folder, asked);
    CHECK_THAT(said, Catch::StartsWith("4 servers: wait_s_max 60 s; 3 servers do not: 2 min\n"));
    CHECK_THAT(said, Catch::Contains("tried, each once: nothing in the experiment is random"));
    CHECK_THAT(said, !Catch::Contains("±"));
    Arguments as_json = asked;
    as_json.emplace_back("--json");
    const auto json = nlohmann::json::parse(folder.berth(as_json).out);
    CHECK(json["confidence"].is_null());
    for (const auto& choice : json["frontier"]) {
        CHECK(choice["replications"] == 1);
    }
}

TEST_CASE("plan: what a run says of its inputs is said", "[cli][plan]") {
    const Folder folder;
    folder.write(
        "queue.yaml",
        replaced(
            replaced(queue, "types: {one: {cpu: 1}}", "types: {one: {cpu: 1}, large: {cpu: 9}}"),
            "  record:",
            "    - pods: [{name: big, type: large, at: 3000s}]\n  until: 20h\n  record:"));
    const Answer answer = folder.berth({"plan",
                                        "queue.yaml",
                                        "--choose",
                                        "levels[server].count=7..8",
                                        "--require",
                                        "wait_s_max<=1d"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: 7 servers: ") && Catch::Contains("it can never start\n"));
    CHECK_THAT(answer.err, !Catch::Contains("--replications"));
    CHECK_THAT(answer.err, Catch::Contains("only a lower bound is known: expected jobs that fit"));
}

TEST_CASE("plan: the chance of a long wait may be required", "[cli][plan]") {
    const Folder folder;
    folder.write("queue.yaml", queue);
    const auto json = answered(folder,
                               {"queue.yaml",
                                "--choose",
                                "levels[server].count=5..12",
                                "--require",
                                "job_wait_over_22s_share<=5%"});
    CHECK(json["answer"] == "7 servers");
    const double share = json["frontier"][0]["requirements"]["job_wait_over_22s_share<=5%"]["mean"];
    CHECK(share > 0.05);
    CHECK(share < 0.2);
    const Answer other = folder.berth({"plan",
                                       "queue.yaml",
                                       "--choose",
                                       "levels[server].count=5..12",
                                       "--require",
                                       "job_wait_over_600s_share<=5%"});
    CHECK(other.status == 2);
    CHECK_THAT(other.err, Catch::Contains("(did you mean 'job_wait_over_10m_share'?)"));
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
        Row{plan(servers + "  require: ['job_wait_s_p95<=nan']\n"),
            "'nan' is no value of job_wait_s_p95: expected a duration"},
        Row{plan(servers + "  require: ['success_rate>=nan%']\n"),
            "'nan%' is no value of success_rate: expected a share from 0 to 1, such as 95%"},
        Row{plan(servers + "  require: ['success_rate>=95']\n"),
            "'95' is no value of success_rate: expected a share from 0 to 1, such as 95%"},
        Row{plan(servers + "  require: ['success_rate>=-1%']\n"),
            "'-1%' is no value of success_rate: expected a share from 0 to 1, such as 95%"},
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
        Row{plan("  choose: [{path: 'levels[server].count', range: {from: 1, to: 10001, step: "
                 "1}}]\n" +
                 require),
            "10001 choices: expected at most 10000: use larger steps"},
        Row{plan(servers + "  require: ['job_wait_over_soon_share<=5%']\n"),
            "found 'soon': expected a duration such as"},
        Row{plan("  choose: [{path: 'levels[server].count', values: [0, 5]}]\n" + require),
            "found '0': expected a whole number from 1"},
        Row{plan(servers + require + "  replications: 0\n"), "expected a whole number from 2"},
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
