// Small mistakes in a first experiment with a trace: each is refused or reported, with what to
// write instead.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "documents.hpp"
#include "folder.hpp"
#include "gpu_experiment.hpp"

using namespace berth::tests;

TEST_CASE("wrong turns: a trace's unknown format comes before its missing file",
          "[cli][wrong-turns][trace]") {
    CHECK_THAT(refusal_of(gpu_experiment + "    - trace: {format: cvs, file: none.csv}\n"),
               Catch::StartsWith("x.yaml:19:23: error: unknown format 'cvs': expected ") &&
                   Catch::EndsWith("(did you mean 'csv'?)"));
    CHECK_THAT(refusal_of(gpu_experiment + "    - trace: {format: csv, file: none.csv}\n"),
               Catch::Contains("none.csv cannot be read"));
}

TEST_CASE("wrong turns: which arrival is meant is asked of sacct alone",
          "[cli][wrong-turns][trace]") {
    CHECK_THAT(
        refusal_of(gpu_experiment + "    - trace: {format: csv, file: x.yaml, arrival: submit}\n"),
        Catch::Contains("arrival beside format csv: expected format: sacct"));
    const std::string experiment = replaced(gpu_experiment,
                                            gpu_experiment.substr(gpu_experiment.find("    - gen")),
                                            "    - trace: {format: sacct, file: t.txt}\n");
    const std::string table =
        "JobID|Submit|Eligible|Start|End|ReqTRES\n"
        "1|1760000000|1760000060|1760000070|1760000090|cpu=1,node=1,gres/gpu=1\n";
    CHECK_THAT(warning_of(experiment, "t.txt", table),
               Catch::Contains("warning: jobs that became eligible later than they were submitted: "
                               "1; they arrive then"));
    CHECK(warning_of(replaced(experiment, "t.txt}", "t.txt, arrival: submit}"), "t.txt", table)
              .find("eligible") == std::string::npos);
}

TEST_CASE("wrong turns: a moved clock is a warning where it matters, and else a note",
          "[cli][wrong-turns][trace]") {
    const std::string experiment = replaced(gpu_experiment,
                                            gpu_experiment.substr(gpu_experiment.find("    - gen")),
                                            "    - trace: {format: csv, file: t.csv}\n");
    const std::string head = "name,submit,run_time,cpu,gpus\n";
    const std::string late = head + "a,59,10,1,1\nb,9000,1000,1,1\n";
    const std::string later = head + "a,600,10,1,1\nb,9000,1000,1,1\n";
    CHECK(warning_of(experiment, "t.csv", late).empty());
    CHECK(warning_of(experiment, "t.csv", later).empty());
    CHECK(warning_of(experiment + "  until: 3h\n", "t.csv", late).empty());
    CHECK_THAT(warning_of(experiment + "  until: 3h\n", "t.csv", later),
               Catch::Contains("warning: the first job arrives at 10 min of the trace, and at 0 s "
                               "of the run: set zero: trace to keep the trace's clock"));
    CHECK(warning_of(experiment + "  record: {from: 10m}\n", "t.csv", later) != "");
    CHECK(warning_of(experiment + "  failures: {events: [{at: 1h, node: server-0, event: fail}]}\n",
                     "t.csv",
                     later) != "");
    CHECK(warning_of(
              experiment + "  drains: [{level: server, at: 1h, for: 1h}]\n", "t.csv", later) != "");
    CHECK(
        warning_of(experiment + "  failures: {csv: \"time_s,component,event\\n9,server-0,fail\"}\n",
                   "t.csv",
                   later) != "");
    CHECK(warning_of(experiment + "  failures: {random: [{name: x, level: server, mtbf: 9000d, "
                                  "repair: 1h}]}\n",
                     "t.csv",
                     later) == "");

    const Folder folder;
    folder.write("x.yaml", experiment);
    folder.write("t.csv", late);
    CHECK(folder.berth({"run", "x.yaml", "--quiet"}).err.empty());
    const auto summary = nlohmann::json::parse(folder.read("out/gpus/summary.json"));
    CHECK(summary.at("notes").dump().find(
              "trace: the first job arrives at 59 s of the trace, and at 0 s of the run") !=
          std::string::npos);
}

TEST_CASE("wrong turns: a table of jobs where a document belongs can be looked through",
          "[cli][wrong-turns][trace]") {
    const Folder folder;
    folder.write("jobs.csv", "submit,duration,gpus\n0,60,1\n30,60,1\n");
    CHECK(folder.berth({"run", "jobs.csv"}).first_line() ==
          "jobs.csv: error: looks like a trace of the format csv, since its header tells gpus, "
          "submit and run_time, and is no document: expected kind: Experiment, with workload: "
          "[{trace: {format: csv, file: jobs.csv}}]; berth workload jobs.csv shows the trace");
    CHECK_THAT(folder.berth({"sweep", "jobs.csv"}).first_line(),
               Catch::EndsWith("expected kind: Sweep; berth workload jobs.csv shows the trace"));
    CHECK_THAT(done(folder, {"workload", "jobs.csv", "--check"}),
               Catch::Contains("jobs            2\n"));
}

TEST_CASE("wrong turns: Kubernetes nodes without GPUs beside a trace share none",
          "[cli][wrong-turns][trace]") {
    const std::string gpus = GENERATE("", ", nvidia.com/gpu: '0'");
    const Folder folder;
    folder.write("nodes.yaml",
                 "kind: Node\nmetadata: {name: n0}\nstatus: {allocatable: {cpu: '8', memory: 64Gi" +
                     gpus + "}}\n");
    folder.write("t.csv", "name,submit,run_time,cpu\na,0,10,1\n");
    folder.write("x.yaml",
                 "kind: Experiment\nmetadata: {name: x}\nspec:\n  topology: {nodes: {format: "
                 "kubernetes, file: nodes.yaml}}\n  workload: [{trace: {format: csv, file: "
                 "t.csv}}]\n  record: {sampleEvery: 1s}\n");
    (void)done(folder, {"run", "x.yaml", "--quiet"});
    CHECK(folder.read("out/x/timeseries.csv").find("gpu_arrived_milli") == std::string::npos);
    CHECK(folder.read("out/x/summary.json").find("frag_") == std::string::npos);
}
