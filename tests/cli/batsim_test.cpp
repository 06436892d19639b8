/// Schedulers for Batsim in shared libraries: their decisions are carried out, and each of their
/// errors is reported in one line.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string experiment(const std::string& scheduler, const std::string& workload) {
    return fmt::format(R"(apiVersion: berth/v1
kind: Experiment
metadata: {{name: b}}
spec:
  replications: 2
  topology:
    spec:
      levels: [{{name: server, count: 8}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: 4}}}}}}
  types: {{host: {{cpu: 4}}}}
  scheduler: {}
  workload:
{})",
                       scheduler,
                       workload);
}

std::string library(const std::string& mode, const std::string& more = "") {
    return fmt::format("{{batsim: '{}', init: '{}'{}}}", BERTH_BATSIM_SCHEDULER, mode, more);
}

const std::string two_pods =
    "    - pods: [{name: a, type: host, lifetime: 10s}, {name: b, type: host, at: 1s, lifetime: "
    "10s}]\n";

const std::string at_once =
    "    - pods: [{name: a, type: host, lifetime: 10s}, {name: b, type: host, lifetime: 10s}]\n";

/// The start of each job, by replication and name.
std::map<std::string, std::string> starts(const Folder& folder, const std::string& run) {
    std::map<std::string, std::string> out;
    for (const auto& row : csv_rows(folder.read(run + "/jobs.csv"))) {
        out[row.at("replication") + " " + row.at("job")] = row.at("start_s");
    }
    return out;
}

/// The message of the program; checks that it leaves nothing behind.
std::string said(const std::string& scheduler, const std::string& workload = at_once) {
    const Folder folder;
    folder.write("e.yaml", experiment(scheduler, workload));
    const Answer answer = folder.berth({"run", "e.yaml", "--allow-code", "-q", "-j", "1"});
    CHECK(answer.status == 1);
    CHECK(answer.out.empty());
    CHECK(answer.err.ends_with("\n"));
    CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
    return answer.err.substr(0, answer.err.size() - 1);
}

}  // namespace

TEST_CASE("batsim: first come, first served in a library is fcfs", "[cli][outside][batsim]") {
    const std::string workload = R"(    - generate:
        arrivals: {distribution: exponential, mean: 1m}
        service: {distribution: exponential, mean: 3m}
        until: 4h
        mix:
          - {group: {spec: {group: {name: small, size: 1, type: host}}}, weight: 2}
          - {group: {spec: {group: {name: large, size: 5, type: host}}}}
)";
    const Folder folder;
    folder.write("lib.yaml", experiment(library("fcfs"), workload));
    folder.write("fcfs.yaml", experiment("{profile: {queueSort: fcfs}}", workload));
    (void)done(folder, {"run", "lib.yaml", "--allow-code", "-o", "lib", "--check-invariants"});
    (void)done(folder, {"run", "fcfs.yaml", "-o", "fcfs"});
    const auto expected = starts(folder, "fcfs");
    CHECK(expected.size() > 400);
    CHECK(starts(folder, "lib") == expected);
    (void)done(folder, {"verify", "lib", "--allow-code"});
}

TEST_CASE("batsim: a library rejects jobs", "[cli][outside][batsim]") {
    const Folder folder;
    folder.write("e.yaml", experiment(library("reject"), two_pods));
    (void)done(folder, {"run", "e.yaml", "--allow-code", "-o", "r"});
    for (const auto& row : csv_rows(folder.read("r/jobs.csv"))) {
        CHECK(row.at("outcome") == "rejected");
        CHECK(row.at("reason").ends_with(" rejected it."));
    }
}

TEST_CASE("batsim: a library kills a job at the time that it says, and hears of nothing before",
          "[cli][outside][batsim]") {
    const Folder folder;
    folder.write("e.yaml", experiment(library("kill"), two_pods));
    (void)done(folder, {"run", "e.yaml", "--allow-code", "-o", "r", "--check-invariants"});
    const auto rows = csv_rows(folder.read("r/jobs.csv"));
    CHECK(rows[0].at("outcome") == "rejected");
    CHECK(rows[0].at("reason").ends_with(" killed it."));
    CHECK(rows[1].at("start_s") == "4");  // the job came at 1 s
    const auto evictions = csv_rows(folder.read("r/evictions.csv"));
    CHECK(evictions[0].at("time_s") == "4");
    CHECK(evictions[0].at("cause") == "preempted");
}

TEST_CASE("batsim: a library is called when it asked to be", "[cli][outside][batsim]") {
    const Folder folder;
    folder.write("e.yaml", experiment(library("later"), two_pods));
    (void)done(folder, {"run", "e.yaml", "--allow-code", "-o", "r"});
    for (const auto& [job, start] : starts(folder, "r")) {
        CHECK(start == "7");
    }
}

TEST_CASE("batsim: what a library does wrong is one line", "[cli][outside][batsim][bad-input]") {
    const std::string at = "b: error: replication 0, at 0 s: ";
    const std::string name = "libberth_batsim_scheduler.so";
    CHECK(said(library("twice")) == at + "job 'a' cannot start: it runs already");
    CHECK(said(library("beyond capacity")) ==
          at + "job 'b' cannot start: server 'server-0' has 0 cpu free, and 1 member of 4 each are "
               "to start there");
    CHECK(said(library("same host twice")) ==
          at + "job 'a' cannot start: server 'server-0' is in its list twice: expected each server "
               "once");
    CHECK(said(library("too many hosts")) ==
          at + "job 'a' cannot start: more than 1 member on its servers: expected 1");
    CHECK(said(library("unknown host")) ==
          at + name + " starts job 'w0!a' on host 99: expected 0 to 7");
    CHECK(said(library("unknown job")) == at + name + " names job 'w0!nobody', which has not come");
    CHECK(said(library("no hosts")) ==
          at + name +
              " answers ExecuteJobEvent with host_allocation '0-': expected numbers such "
              "as 0-3 7");
    CHECK(said(library("no job")) == at + name + " answers ExecuteJobEvent without 'job_id'");
    CHECK(said(library("past")) == at + name + " decides for -1 s, which is over");
    CHECK(said(library("kill who waits")) == at + "job 'a' cannot be evicted: it does not run");
    CHECK(said(library("stop no call")) ==
          at + name + " stops call 'x', which it has not asked for");
    CHECK(said(library("call twice")) == at + name + " asks for call 'x' twice");
    CHECK(said(library("power")) ==
          at + name +
              " answers ChangeHostsPStateEvent, which has no counterpart here: expected "
              "ExecuteJobEvent, RejectJobEvent, KillJobsEvent, CallMeLaterEvent or "
              "StopCallMeLaterEvent");
    CHECK(said(library("garbage")) ==
          at + name + " answers 'what?': expected a message with events, as JSON");
    CHECK(said(library("fails")) ==
          at + "batsim_edc_take_decisions of " + name + " failed: it returned 7");
}

TEST_CASE("batsim: a library that cannot begin is refused", "[cli][outside][batsim][bad-input]") {
    const std::string at = "b: error: replication 0, ";
    const std::string name = "libberth_batsim_scheduler.so";
    CHECK(said(library("init fails")) ==
          at + "batsim_edc_init of " + name + " failed: it returned 3");
    CHECK(said(library("old interface")) == at + "batsim_edc_init of " + name +
                                                " left no answer: expected the interface of Batsim "
                                                "5.0, where it says hello (EDCHelloEvent)");
    CHECK(said(library("binary")) ==
          at + name +
              " wants messages in FlatBuffers' binary form: expected JSON; Batsim's own "
              "libraries take it with init: '{\"format_json\": true}'");
    CHECK(said(library("other protocol")) ==
          at + name + " speaks batprotocol 2.0.0: expected 0.1 or 1");
    CHECK(said(library("no hello")) ==
          at + name + " does not say hello: expected one event, an EDCHelloEvent");
    CHECK(said(library("dynamic")) ==
          at + name + " asks for dynamic_registration, which has no counterpart here");
}

TEST_CASE("batsim: a library that never answers ends the run in time", "[cli][outside][batsim]") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(said(library("silent", ", timeout: 0.3s")) ==
          "b: error: replication 0, at 0 s: batsim_edc_take_decisions of "
          "libberth_batsim_scheduler.so has not come back in 0.3 s");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    const Folder folder;
    folder.write("e.yaml", experiment(library("fcfs", ", timeout: 30s"), two_pods));
    CHECK(folder.berth({"run", "e.yaml", "--allow-code"}).status == 0);
}

TEST_CASE("batsim: jobs that its protocol cannot tell of are refused", "[cli][outside][batsim]") {
    CHECK(said(library("fcfs"),
               "    - groups: [{at: 0s, lifetime: 10s, resize: [{at: 2s, size: 2}], document: "
               "{apiVersion: berth/v1, kind: GroupPlacement, spec: {group: {name: g, size: 1, "
               "type: host}}}}]\n")
              .starts_with("b: error: replication 0, at 0 s: libberth_batsim_scheduler.so cannot "
                           "be told of job 'g', which asks for other sizes"));
}

TEST_CASE("batsim: what is no library, or cannot be told of, is refused",
          "[cli][outside][batsim][bad-input]") {
    const Folder folder;
    const auto first_line = [&](const std::string& scheduler, const std::string& workload) {
        folder.write("e.yaml", experiment(scheduler, workload));
        const Answer answer = folder.berth({"run", "e.yaml", "--allow-code"});
        CHECK(answer.status == 2);
        return answer.first_line();
    };
    folder.write("text.so", "no library\n");
    CHECK(first_line("{batsim: text.so}", two_pods).find("text.so: error: it cannot be loaded (") !=
          std::string::npos);
    CHECK(first_line(fmt::format("{{batsim: '{}'}}", BERTH_NO_BATSIM_SCHEDULER), two_pods) ==
          "libberth_no_batsim_scheduler.so: error: no function batsim_edc_init: expected a "
          "scheduler for Batsim 5");
    CHECK(first_line("{batsim: nowhere.so}", two_pods) ==
          "e.yaml:12:23: error: nowhere.so cannot be read (No such file or directory): expected a "
          "readable file");
    CHECK(first_line("{batsim: text.so, timeout: 0s}", two_pods) ==
          "e.yaml:12:41: error: found '0s': expected a duration above 0");
    CHECK(first_line("{batsim: text.so, init: {format_json: true}}", two_pods) ==
          "e.yaml:12:38: error: found a map: expected a text in quotes, such as '{\"format_json\": "
          "true}'");
    CHECK(first_line("{batsim: text.so, python: x.py:Y}", two_pods) ==
          "e.yaml:12:32: error: 'python' cannot be used with 'batsim', which decides everything: "
          "expected batsim alone");
    CHECK(first_line("{batsim: text.so}",
                     two_pods + "  drains: [{level: server, name: server-0, at: 1s, for: 5s}]\n")
              .find("servers cannot leave or come with batsim, since Batsim's protocol has no "
                    "event for that: expected neither failures nor drains") != std::string::npos);
}

TEST_CASE("batsim: no command loads a library that nobody allowed",
          "[cli][outside][batsim][bad-input]") {
    const std::string expected =
        std::string("error: the experiment runs the code of ") + BERTH_BATSIM_SCHEDULER +
        ": expected --allow-code, if you trust who wrote it; in Python, allow_code=True; in C, "
        "berth_allow_code()";
    Folder folder;
    folder.write("e.yaml", experiment(library("fcfs"), two_pods));
    folder.write("s.yaml",
                 "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: e.yaml}\n"
                 "  axes: [{name: dice, path: spec.seed, values: [1, 2]}]\n");
    (void)done(folder, {"run", "e.yaml", "--allow-code", "-o", "r", "-q"});
    (void)done(folder, {"sweep", "s.yaml", "--allow-code", "-o", "swept", "-q"});
    const auto before = folder.listing();
    const std::vector<std::vector<std::string>> commands{
        {"run", "e.yaml", "-o", "x"},
        {"run", "r/experiment.yaml", "-o", "x"},
        {"validate", "e.yaml"},
        {"validate", "s.yaml"},
        {"sweep", "s.yaml", "-o", "x"},
        {"verify", "r"},
        {"verify", "swept"},
        {"plan", "e.yaml", "--choose", "until=1h,2h", "--require", "wait_s_max<=1h", "-o", "x"},
    };
    for (const std::vector<std::string>& command : commands) {
        const Answer answer = folder.berth(command);
        INFO(command[0] << " " << command[1] << "\n" << answer.out << answer.err);
        CHECK(answer.status != 0);
        CHECK((answer.err + answer.out).find(expected) != std::string::npos);
        CHECK((answer.err + answer.out).find(": valid") == std::string::npos);
    }
    CHECK(folder.listing() == before);
    for (std::vector<std::string> command : {std::vector<std::string>{"validate", "e.yaml"},
                                             {"validate", "s.yaml"},
                                             {"verify", "r"},
                                             {"verify", "swept"}}) {
        command.push_back("--allow-code");
        (void)done(folder, command);
    }
}

TEST_CASE("batsim: options of sbatch that may run something are asked for",
          "[cli][slurm][bad-input]") {
    const Folder folder;
    folder.write("e.yaml", experiment("{profile: {}}", two_pods));
    const auto plan = [&](const std::string& options, bool allowed) {
        folder.write(
            "s.yaml",
            "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: e.yaml}\n"
            "  axes: [{name: dice, path: spec.seed, values: [1, 2]}]\n  slurm: {options: [" +
                options + "]}\n");
        std::vector<std::string> command{"sweep", "s.yaml", "--slurm", "--dry-run"};
        if (allowed) {
            command.emplace_back("--allow-code");
        }
        return folder.berth(command);
    };
    for (const char* option : {"--wrap=true",
                               "--wra=true",
                               "--export=LD_PRELOAD=x.so",
                               "--container=image",
                               "x.sh",
                               "-vQ",
                               "--",
                               "-"}) {
        INFO(option);
        CHECK_THAT(plan(std::string("--mem=1G, '") + option + "'", false).first_line(),
                   Catch::Contains(
                       "s.yaml:6:31: error: this option of sbatch may run something besides berth: "
                       "expected options that say what a job needs, each with its value, such as "
                       "--account=lab, or --allow-code, if you trust who wrote it"));
        CHECK(plan(std::string("'") + option + "'", true).status == 0);
    }
    const Answer harmless =
        plan("--account=lab, -Chaswell, --exclusive, -N2, -v, -xnode1, --gres=gpu:2", false);
    INFO(harmless.err);
    CHECK(harmless.status == 0);
    CHECK(harmless.out.find("--allow-code") == std::string::npos);
    CHECK(plan("--mem=1G", true).out.find("--quiet --allow-code") != std::string::npos);
}

TEST_CASE("batsim: why is not asked of a library", "[cli][outside][batsim]") {
    const Folder folder;
    folder.write("e.yaml", experiment(library("fcfs"), two_pods));
    (void)done(folder, {"run", "e.yaml", "--allow-code", "-o", "r"});
    const Answer answer = folder.berth({"why", "r", "a"});
    CHECK(answer.status == 2);
    CHECK(answer.err.find("berth does not know why this scheduler decides as it does: expected a "
                          "run with a profile") != std::string::npos);
}
