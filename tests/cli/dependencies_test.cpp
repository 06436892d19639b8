// Jobs that depend on others, and jobs that are stopped at their time limit.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string experiment(const std::string& sources, const std::string& scheduler = "{}") {
    return "kind: Experiment\nmetadata: {name: ties}\nspec:\n"
           "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}], "
           "machineTypes: {m: {capacity: {cpu: 4}}}}}\n"
           "  types: {one: {cpu: 1}}\n  scheduler: " +
           scheduler + "\n  workload:\n" + sources;
}

/// A column of pods.csv, by pod.
std::map<std::string, std::string> pods(const Folder& folder, const std::string& column) {
    std::map<std::string, std::string> out;
    for (const CsvRow& row : csv_rows(folder.read("out/ties/pods.csv"))) {
        out[row.at("pod")] = row.at(column);
    }
    return out;
}

using Pods = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("after: jobs of documents come after others", "[cli][dependencies]") {
    const Folder folder;
    folder.write("group.yaml",
                 "kind: GroupPlacement\nspec: {group: {name: gang, size: 2, type: one}}\n");
    folder.write("ties.yaml",
                 experiment("    - pods:\n"
                            "        - {name: a, type: one, lifetime: 60s}\n"
                            "        - {name: b, type: one, lifetime: 10s, after: a}\n"
                            "        - {name: c, type: one, lifetime: 5s, "
                            "after: [{afterstart: a, delay: 20s}]}\n"
                            "        - {name: d, type: one, count: 2, lifetime: 30s, "
                            "after: [{afterany: c}]}\n"
                            "        - {name: e, type: one, lifetime: 1s, after: [b, d]}\n"
                            "        - {name: f, type: one, lifetime: 1s, after: gang}\n"
                            "    - groups:\n"
                            "        - {file: group.yaml, lifetime: 7s, after: e}\n"));
    REQUIRE(folder.berth({"run", "ties.yaml"}).status == 0);
    CHECK(pods(folder, "start_s") == Pods{{"a", "0"},
                                          {"b", "60"},
                                          {"c", "20"},
                                          {"d-0", "25"},
                                          {"d-1", "25"},
                                          {"e", "70"},
                                          {"f", "78"},
                                          {"gang-0", "71"},
                                          {"gang-1", "71"}});
    CHECK(pods(folder, "wait_s").at("e") == "0");  // it only waits in the queue from then on
}

TEST_CASE("after: what never happens is waited for to the end, and why says so",
          "[cli][dependencies]") {
    const Folder folder;
    folder.write("ties.yaml",
                 experiment("    - pods:\n"
                            "        - {name: a, type: one}\n"
                            "        - {name: b, type: one, lifetime: 10s, after: a}\n"
                            "        - {name: c, type: one, lifetime: 10s}\n") +
                     "  until: 1h\n");
    const Answer answer = folder.berth({"run", "ties.yaml"});
    REQUIRE(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: never arrived: 1 job still waited for others when the run "
                               "ended, and counts among pods_waiting; jobs.csv says why of each, "
                               "of the first: b: it comes after a, which has not ended. Set a "));
    CHECK_THAT(folder.read("out/ties/replications.csv"), Catch::Contains("pods_waiting"));
    CHECK(csv_rows(folder.read("out/ties/replications.csv")).front().at("pods_waiting") == "1");
    CHECK(pods(folder, "outcome") == Pods{{"a", "running"}, {"b", "waiting"}, {"c", "finished"}});
    CHECK(pods(folder, "reason").at("b") == "it comes after a, which has not ended");
    const Answer why = folder.berth({"why", "out/ties", "b"});
    CHECK(why.status == 0);
    CHECK_THAT(why.out, Catch::Contains("it comes after a, which has not ended"));
}

TEST_CASE("after: preceding jobs of SWF, columns of tables, and Slurm's Dependency",
          "[cli][dependencies][traces]") {
    struct Row {
        std::string format;
        std::string text;
    };
    const Row row =
        GENERATE(Row{"swf",
                     "1 0 0 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1\n"
                     "2 0 0 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 1 0\n"
                     "3 0 0 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 2 50\n"},
                 Row{"csv",
                     "name,submit,run_time,cpu,after\n1,0,100,1,\n2,0,100,1,1\n"
                     "3,0,100,1,after:2+2\n"},
                 Row{"sacct",
                     "JobID|Submit|Start|End|State|AllocCPUS|Dependency\n"
                     "1|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:01:40|COMPLETED|1|\n"
                     "2|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:01:40|COMPLETED|1|"
                     "afterok:1(unfulfilled)\n"
                     "3|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:01:40|COMPLETED|1|"
                     "after:2+2,afterok:99\n"});
    const Folder folder;
    folder.write("jobs.txt", row.text);
    folder.write("ties.yaml",
                 experiment("    - trace: {format: " + row.format + ", file: jobs.txt}\n"));
    const Answer answer = folder.berth({"run", "ties.yaml"});
    REQUIRE(answer.status == 0);
    const std::string third = row.format == "swf" ? "250" : "220";
    CHECK(pods(folder, "start_s") == Pods{{"1", "0"}, {"2", "100"}, {"3", third}});
    if (row.format == "sacct") {
        CHECK_THAT(answer.err,
                   Catch::Contains("1 of 3 dependencies are on jobs that do not arrive"));
    }
    const Answer sampled = folder.berth(
        {"run", "ties.yaml", "-o", "out/other", "--set", "spec.workload[0].sample=0.9"});
    CHECK_THAT(sampled.err, Catch::Contains("dependencies of jobs on others are not looked at"));
}

TEST_CASE("atLimit: jobs run on, or are stopped", "[cli][dependencies][limits]") {
    const Folder folder;
    const std::string jobs =
        "    - pods:\n"
        "        - {name: long, type: one, lifetime: 100s, estimate: 60s}\n"
        "        - {name: short, type: one, lifetime: 50s, estimate: 60s}\n"
        "        - {name: endless, type: one, estimate: 1m}\n"
        "        - {name: ok, type: one, lifetime: 1s, after: long}\n"
        "        - {name: any, type: one, lifetime: 1s, after: {afterany: long}}\n";
    folder.write("ties.yaml", experiment(jobs) + "  until: 1h\n");
    REQUIRE(folder.berth({"run", "ties.yaml"}).status == 0);
    CHECK(pods(folder, "finish_s").at("long") == "100");
    CHECK(pods(folder, "start_s").at("ok") == "100");
    CHECK(pods(folder, "outcome").at("endless") == "running");
    const auto grace = GENERATE(0, 30);
    CAPTURE(grace);
    folder.write(
        "ties.yaml",
        experiment(jobs, grace == 0 ? "{atLimit: stop}" : "{atLimit: {name: stop, grace: 30s}}") +
            "  until: 1h\n");
    const Answer answer = folder.berth({"run", "ties.yaml"});
    REQUIRE(answer.status == 0);
    const std::string stopped = std::to_string(60 + grace);
    CHECK(pods(folder, "finish_s") == Pods{{"long", stopped},
                                           {"short", "50"},
                                           {"endless", stopped},
                                           {"ok", ""},
                                           {"any", std::to_string(61 + grace)}});
    CHECK(pods(folder, "reason").at("long") == "it was stopped at its time limit");
    CHECK(pods(folder, "reason").at("ok") == "it comes after long, which did not end well");
    CHECK_THAT(answer.out, Catch::Contains("jobs stopped at their time limit"));
    CHECK(folder.berth({"verify", "out/ties"}).status == 0);
}

TEST_CASE("atLimit: what a trace's jobs did beyond their limits is said", "[cli][limits]") {
    const Folder folder;
    folder.write("jobs.txt",
                 "1 0 0 300 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1\n"
                 "2 0 0 130 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1\n");
    const std::string trace = "    - trace: {format: swf, file: jobs.txt}\n";
    folder.write("ties.yaml", experiment(trace));
    CHECK_THAT(folder.berth({"run", "ties.yaml"}).err,
               Catch::Contains("2 of 2 jobs (100 %) ran longer than their time limit, and run on: "
                               "atLimit: stop in scheduler would stop them: the first is '1'"));
    folder.write("ties.yaml", experiment(trace, "{atLimit: stop}"));
    CHECK_THAT(folder.berth({"run", "ties.yaml"}).err, !Catch::Contains("their time limit"));
    CHECK(pods(folder, "finish_s") == Pods{{"1", "100"}, {"2", "100"}});
}

TEST_CASE("limits: a job of a trace whose end is not told runs until its limit", "[cli][limits]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "name,submit,start,run_time,time_limit,status\n"
                 "told,0,0,50,100,completed\nnot-told,0,0,,100,completed\n"
                 "runs,0,0,,100,running\nunlimited,0,0,,,completed\n");
    folder.write("ties.yaml",
                 experiment("    - trace: {format: csv, file: jobs.csv}\n") + "  until: 1h\n");
    const Answer answer = folder.berth({"run", "ties.yaml"});
    REQUIRE(answer.status == 0);
    CHECK_THAT(answer.err, Catch::Contains("and run until their time limits"));
    CHECK(pods(folder, "finish_s") ==
          Pods{{"told", "50"}, {"not-told", "100"}, {"runs", ""}, {"unlimited", ""}});
}

TEST_CASE("after and atLimit: wrong inputs", "[cli][dependencies][bad-input]") {
    struct Row {
        std::string pods;
        std::string scheduler;
        std::string message;
    };
    const std::string pod = "{name: a, type: one, lifetime: 1s, after: ";
    const Row row = GENERATE_COPY(
        Row{pod + "trian}, {name: train, type: one}",
            "{}",
            "unknown job 'trian': expected the name of an entry of pods or groups (did you mean "
            "'train'?)"},
        Row{pod + "b}, {name: b, type: one, after: [a]}",
            "{}",
            "'a' comes after a job that comes after it in turn: expected no circle"},
        Row{pod + "a}", "{}", "'a' comes after a job that comes after it in turn"},
        Row{pod + "{afterok: b, afterany: b}}, {name: b, type: one}",
            "{}",
            "expected one of afterok, afterany and afterstart"},
        Row{pod + "{afterok: b, dealy: 5m}}, {name: b, type: one}", "{}", "unknown key 'dealy'"},
        Row{pod + "[[b]]}, {name: b, type: one}", "{}", "expected the name of a job"},
        Row{"{name: a, type: one}", "{atLimit: kill}", "expected run-on or stop"},
        Row{"{name: a, type: one}",
            "{atLimit: {name: run-on, grace: 1m}}",
            "grace has no effect with name: run-on, which stops no job: expected name: stop"});
    CAPTURE(row.pods, row.scheduler);
    const Folder folder;
    folder.write("ties.yaml", experiment("    - pods: [" + row.pods + "]\n", row.scheduler));
    const Answer answer = folder.berth({"validate", "ties.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Catch::Contains(row.message));
}
