#include <fmt/format.h>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

struct Row {
    Arguments arguments;
    std::string message;
};

void check_refused(const std::vector<Row>& rows) {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    folder.write("folder/precious", "");
    const auto before = folder.listing();
    for (const Row& row : rows) {
        CAPTURE(row.arguments);
        const Answer answer = folder.berth(row.arguments, {.seconds_max = 5});
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK(answer.first_line() == row.message);
        CHECK(folder.listing() == before);
    }
}

}  // namespace

TEST_CASE("a wrong command line is refused with what was expected", "[cli][bad-input]") {
    check_refused({
        {{"rnu"},
         "berth: error: unknown command 'rnu': expected allocate, bench, calibrate, candidates, "
         "compare, defrag, export, forecast, kai, kube, kueue, list, place, plan, plot, quota, "
         "report, run, schema, slurm, sweep, topology, validate, verify, why or workload (did you "
         "mean 'run'?)"},
        {{"what-if", "sound.yaml", "--quota", "A", "--wait", "1m"},
         "berth: error: 'what-if' is now a case of berth plan: expected berth plan EXPERIMENT.yaml "
         "--choose 'quota[NAME].min=0..1..0.05' --require 'job_wait_s_p95[NAME]<=10m'"},
        {{"run", "sound.yaml", "--quite"},
         "berth run: error: unknown option '--quite': expected --output, --threads, --seed, --set, "
         "--allow-code, --tables, --compress, --check-invariants, --quiet or --help (did you mean "
         "'--quiet'?)"},
        {{"run", "sound.yaml", "--seed"},
         "berth run: error: the required argument for option '--seed' is missing: expected the "
         "usage below"},
        {{"run", "sound.yaml", "-j", "two"},
         "--threads: error: found 'two': expected a whole number from 1 to 4096"},
        {{"topology", "sound.yaml", "--format", "txt"},
         "berth topology: error: unknown format 'txt': expected text, dot, graphml, json, "
         "device, group-keys or providers"},
        {{"workload", "sound.yaml", "--format", "json"},
         "berth workload: error: unknown format 'json': expected csv or jsonl"},
        {{"bench", "events", "--units", "0"},
         "berth bench: error: --units is 0: expected at least 1"},
        {{"bench", "events", "--size", "7"},
         "berth bench: error: none of the benchmarks has this --size: expected one of the sizes "
         "that they show without it"},
        {{"place"}, "berth place: error: no --jsonl: expected it, with requests on standard input"},
        {{"plot", "folder", "--figure", "cluster"},
         "berth plot: error: no --output: expected one (berth plot --list)"},
        {{"report", "folder"},
         "folder: error: this is not a run directory: expected a folder with summary.json"},
    });
}

TEST_CASE("a missing argument is named, with an example of the command", "[cli][bad-input]") {
    const auto missing = [](const Arguments& arguments,
                            const std::string& what,
                            const std::string& example) {
        return Row{
            arguments,
            fmt::format("berth {}: error: {}, as in `berth {}`", arguments.front(), what, example)};
    };
    const std::string compared = "compare out/first-fit out/best-fit";
    const std::string candidates =
        "candidates providers.yaml \"resources=VCPU:4,MEMORY_MB:8192\" --explain";
    check_refused({
        missing(
            {"candidates"}, "no PROVIDERS: expected a file of providers and a query", candidates),
        missing({"candidates", "p.yaml"},
                "no QUERY: expected a file of providers and a query",
                candidates),
        missing({"compare"}, "no RUN: expected two or more", compared),
        missing({"compare", "folder"}, "one RUN: expected two or more", compared),
        {{"compare", "--against", "a=1"},
         "berth compare: error: --against with 0 RUNs: expected one sweep's folder"},
        missing({"export"}, "no RUN: expected one", "export out/training --batsim -o out/batsim"),
        missing({"plan"}, "no PLAN.yaml: expected one", "plan plan.yaml"),
        missing({"plot"}, "no RUN: expected one", "plot out/training --figure gantt -o gantt.svg"),
        missing({"report"}, "no RUN: expected one", "report out/training"),
        missing({"run"}, "no EXPERIMENT.yaml: expected one", "run experiment.yaml"),
        missing({"sweep"}, "no SWEEP.yaml: expected one", "sweep sweep.yaml --dry-run"),
        missing({"topology"}, "no FILE: expected one", "topology cluster.yaml"),
        missing({"validate"}, "no FILE: expected one", "validate experiment.yaml sweep.yaml"),
        missing({"verify"}, "no RUN: expected one", "verify out/training"),
        missing({"why"}, "no RUN and no POD: expected both", "why out/training trainer-3"),
        missing({"why", "folder"}, "no POD: expected one", "why out/training trainer-3"),
        missing({"workload"}, "no FILE: expected one", "workload experiment.yaml"),
    });
}

TEST_CASE("no arguments at all are answered by the help", "[cli][bad-input]") {
    const Folder folder;
    const Answer answer = folder.berth({});
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Catch::Contains("usage: berth COMMAND"));
}

TEST_CASE("a wrong --set is refused with what was expected", "[cli][bad-input]") {
    const auto set = [](const std::string& change, const std::string& message) {
        return Row{{"run", "sound.yaml", "--set", change}, "--set " + change + message};
    };
    check_refused({
        set("spec.seeed=1",
            ": error: unknown key 'seeed' in an Experiment's spec: expected seed, replications, "
            "types, topology, devices, workload, quotas, quotaChanges, "
            "unknownQuotas, recycler, failures, drains, runTime, descheduler, scheduler, until, "
            "record, claims "
            "or "
            "expect (did you mean 'seed'?)"),
        set("specc.seed=1",
            ": error: the path specc.seed has no 'specc': expected apiVersion, kind, metadata or "
            "spec (did you mean 'spec'?)"),
        set("spec.workload[9].x=1",
            ": error: the path spec.workload[9].x has no entry [9]: expected an index below 4 "
            "(did you mean 'spec.workload[0]'?)"),
        set("spec.workload[0.x=1",
            ": error: 'spec.workload[0.x' is not a path: expected one such as spec.workload[0].at"),
        set("spec..x=1",
            ": error: 'spec..x' is not a path: expected one such as spec.workload[0].at"),
        set("=1", ": error: no '=': expected spec.path=VALUE"),
        set("spec", ": error: no '=': expected spec.path=VALUE"),
        set("spec=1", ": error: an Experiment's spec is '1': expected a map of keys and values"),
        set("spec.workload[0].background.load=3",
            ": error: found '3': expected a number from 0 to 1"),
    });
}

TEST_CASE("a wrong --seed is refused by its own name", "[cli][bad-input]") {
    const auto refused = [](const std::string& seed, const std::string& found) {
        return Row{{"run", "sound.yaml", "--seed", seed},
                   "--seed: error: found " + found + ": expected a whole number of at least 0"};
    };
    check_refused({
        refused("-1", "'-1'"),
        refused("seven", "'seven'"),
        refused("", "''"),
        refused("{a: 1}", "'{a: 1}'"),
        refused("[", "'['"),
        {{"plan",
          "sound.yaml",
          "--choose",
          "until=1d,2d",
          "--require",
          "job_wait_s_p95<=1m",
          "--seed",
          "-1"},
         "--seed: error: found '-1': expected a whole number of at least 0"},
    });
}

TEST_CASE("a --seed where there is no spec is refused by its own name", "[cli][bad-input]") {
    const Folder folder;
    folder.write("bare.yaml", "kind: Experiment\n");
    CHECK(folder.berth({"run", "bare.yaml", "--seed", "7"}).first_line().starts_with("--seed: "));
}

TEST_CASE("an output folder that cannot be is refused and left alone", "[cli][bad-input]") {
    const auto output = [](const std::string& place, const std::string& message) {
        return Row{{"run", "sound.yaml", "-o", place}, place + ": error: " + message};
    };
    const std::string taken =
        "exists and is not a run directory: expected a new folder, or one that berth run wrote";
    check_refused({
        output("folder", taken),
        output("sound.yaml", taken),
        output("/dev/full", taken),
        output("/proc", taken),
        output("sound.yaml/run",
               "cannot be created (Not a directory): expected a folder that can be written"),
        output("/proc/run",
               "cannot be created (No such file or directory): expected a folder that can be "
               "written"),
    });
}

TEST_CASE("the current folder and no folder at all are refused as output", "[cli][bad-input]") {
    const Folder folder;
    folder.write("in/sound.yaml", sound_experiment);
    const Answer answer =
        folder.berth({"run", "in/sound.yaml", "-o", GENERATE("", ".", "./", "..")});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Catch::Contains(": error: ") && Catch::Contains(": expected "));
}

TEST_CASE("the root is refused as output", "[cli][bad-input]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    CHECK(folder.berth({"run", "sound.yaml", "-o", "/"}, {.seconds_max = 2}).status == 2);
}

TEST_CASE("a negative number of threads is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    CHECK(folder.berth({"run", "sound.yaml", "-j", "-1"}).status == 2);
}

TEST_CASE("a --set of another kind is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    CHECK(folder.berth({"run", "sound.yaml", "--set", "kind=Topology"}).status == 2);
}
