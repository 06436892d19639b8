#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two servers with eight GPUs each; a gang of 16, pods with one GPU, a pod that never fits, a pod
/// that still runs at the end, and a pod that still waits then.
const std::string experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: e}
spec:
  replications: 2
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 64, memory: 64Gi, nvidia.com/gpu: 8}}}
  types:
    one: {cpu: 1500m, memory: 1Gi, nvidia.com/gpu: 1}
    none: {cpu: 1}
    nine: {cpu: 1, nvidia.com/gpu: 9}
  workload:
    - groups:
        - at: 0s
          lifetime: 100s
          user: ann
          quota: "team, a"
          document: {kind: GroupPlacement, spec: {group: {name: gang, type: one, size: 16}}}
    - pods:
        - {type: one, name: pod, count: 2, at: 10s, lifetime: 50s, user: bob, class: batch,
           priority: 7, estimate: 2m}
        - {type: none, name: small, at: 20s}
        - {type: nine, name: large, at: 30s, lifetime: 1s}
  record: {sampleEvery: 50s}
  until: 300s
)";

CsvRow job_named(const std::vector<CsvRow>& rows, const std::string& name) {
    for (const CsvRow& row : rows) {
        if (row.at("job") == name) {
            return row;
        }
    }
    FAIL("no job " << name);
    return {};
}

}  // namespace

TEST_CASE("jobs.csv: a row a job, with its kinds, its GPUs and its demand as numbers",
          "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml", experiment);
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    const auto rows = csv_rows(folder.read("out/jobs.csv"));
    REQUIRE(rows.size() == 10);
    const CsvRow gang = job_named(rows, "gang");
    CHECK(gang.at("replication") == "0");
    CHECK(gang.at("user") == "ann");
    CHECK(gang.at("quota") == "team, a");
    CHECK(gang.at("type") == "one");
    CHECK(gang.at("size") == "16");
    CHECK(gang.at("placed") == "16");
    CHECK(gang.at("gpus") == "16");
    CHECK(gang.at("demand_nvidia_com_gpu") == "1");
    CHECK(gang.at("demand_cpu") == "1.5");
    CHECK(gang.at("demand_memory") == "1073741824");
    CHECK(gang.at("duration_s") == "100");
    CHECK(gang.at("outcome") == "finished");
    CHECK(!gang.contains("revoked"));
    const CsvRow pod = job_named(rows, "pod-1");
    CHECK(pod.at("class") == "batch");
    CHECK(pod.at("priority") == "7");
    CHECK(pod.at("estimate_s") == "120");
    CHECK(pod.at("wait_s") == "90");
    CHECK(pod.at("jct_s") == "140");
    CHECK(pod.at("slowdown") == "2.8");
    CHECK(pod.at("bounded_slowdown") == "2.8");
    const CsvRow small = job_named(rows, "small");
    CHECK(small.at("gpus") == "0");
    CHECK(small.at("outcome") == "running");
    CHECK(small.at("finish_s").empty());
    CHECK(small.at("bounded_slowdown").empty());
    const CsvRow large = job_named(rows, "large");
    CHECK(large.at("outcome") == "waiting");
    CHECK(large.at("reason").find("Insufficient nvidia.com/gpu") != std::string::npos);
    CHECK(large.at("wait_s").empty());
    CHECK(!large.contains("dropped_s"));
}

TEST_CASE("jobs.csv: when a job was dropped, in runs in which jobs may be", "[cli][jobs]") {
    const Folder folder;
    const auto rows_with = [&](const std::string& scheduler, const std::string& more = "") {
        folder.write("e.yaml",
                     replaced(experiment,
                              "  record:",
                              "  scheduler: {" + scheduler + "}\n" + more + "  record:"));
        done(folder, {"run", "e.yaml", "-o", "out", "--quiet", "--check-invariants"});
        return csv_rows(folder.read("out/jobs.csv"));
    };
    SECTION("where nobody is tried again, in the first cycle that did not take it") {
        const auto rows = rows_with("retry: never, period: 7s");
        CHECK(job_named(rows, "large").at("outcome") == "dropped");
        CHECK(job_named(rows, "large").at("dropped_s") == "35");
        CHECK(job_named(rows, "pod-0").at("dropped_s") == "14");
        CHECK(job_named(rows, "gang").at("dropped_s").empty());
    }
    const std::string failing = "  failures: {events: [{at: 40s, node: server-0, event: fail}]}\n";
    SECTION("where failures interrupted it too often, at once") {
        const auto rows = rows_with("onFailure: {name: requeue, giveUpAfter: 1}", failing);
        CHECK(job_named(rows, "gang").at("outcome") == "dropped");
        CHECK(job_named(rows, "gang").at("dropped_s") == "40");
        CHECK(job_named(rows, "large").at("dropped_s").empty());
    }
    SECTION("not where hardly any job is interrupted so often") {
        CHECK(!job_named(rows_with("retry: always", failing), "gang").contains("dropped_s"));
    }
}

TEST_CASE("pods.csv: each member has its demand, and whose it is", "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml", experiment);
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    const auto rows = csv_rows(folder.read("out/pods.csv"));
    REQUIRE(rows.size() == 40);
    CHECK(rows[3].at("pod") == "gang-3");
    CHECK(rows[3].at("demand") == "cpu=1.5 memory=1073741824 nvidia.com/gpu=1");
    CHECK(rows[3].at("user") == "ann");
    CHECK(rows[3].at("type") == "one");
    CHECK(rows[3].at("gpus") == "1");
    CHECK(rows[16].at("class") == "batch");
}

TEST_CASE(
    "columns that SQL takes without quotes stand beside those that need them, for no reader "
    "twice",
    "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml", experiment);
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    const auto samples = csv_rows(folder.read("out/timeseries.csv"));
    REQUIRE(samples.size() >= 4);
    CHECK(samples[0].at("nvidia_com_gpu_utilization") ==
          samples[0].at("nvidia.com/gpu_utilization"));
    const auto rows = csv_rows(folder.read("out/replications.csv"));
    CHECK(rows[1].at("nvidia_com_gpu_stranded") == rows[1].at("nvidia.com/gpu_stranded"));
    done(folder, {"compare", "out", "out", "-o", "c.json"});
    const std::string compared = folder.read("c.json");
    CHECK(compared.find("nvidia.com/gpu_stranded") != std::string::npos);
    CHECK(compared.find("nvidia_com_gpu_stranded") == std::string::npos);
    done(folder, {"report", "out"});
    CHECK(folder.read("out/report.html").find("nvidia_com_gpu_stranded") == std::string::npos);
    const auto summary = nlohmann::json::parse(folder.read("out/summary.json"));
    CHECK(summary["metrics"]["end_s"]["mean"] == 300);
    CHECK(!summary["metrics"].contains("nvidia_com_gpu_stranded"));
}

TEST_CASE("export: jobs.csv in Batsim's columns", "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml", experiment);
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    const Answer answer = folder.berth({"export", "out", "--batsim", "-o", "batsim"});
    INFO(answer.err);
    REQUIRE(answer.status == 0);
    CHECK(answer.err == "batsim/jobs.csv: 4 jobs; 1 that still waited are left out\n");
    const std::string text = folder.read("batsim/jobs.csv");
    CHECK(text.substr(0, text.find('\n')) ==
          "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
          "requested_time,success,final_state,starting_time,execution_time,finish_time,"
          "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata");
    const auto rows = csv_rows(text);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].at("job_id") == "gang");
    CHECK(rows[0].at("requested_number_of_resources") == "16");
    CHECK(rows[0].at("allocated_resources") == "0-1");
    CHECK(rows[0].at("final_state") == "COMPLETED_SUCCESSFULLY");
    CHECK(rows[1].at("waiting_time") == "90");
    CHECK(rows[1].at("stretch") == "2.8");
    CHECK(rows[1].at("requested_time") == "120");
    CHECK(rows[3].at("job_id") == "small");
    CHECK(rows[3].at("final_state") == "COMPLETED_KILLED");
    CHECK(rows[3].at("finish_time") == "300");
}

TEST_CASE("export: a point of a sweep, jobs that were dropped, another replication",
          "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml",
                 replaced(experiment, "  until:", "  scheduler: {retry: never}\n  until:"));
    folder.write("s.yaml", R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: e.yaml}
  axes: [{name: until, path: spec.until, values: [300s, 400s]}]
)");
    done(folder, {"sweep", "s.yaml", "-o", "sweep", "-j", "1", "--quiet"});
    done(folder, {"export", "sweep:until=400s", "--batsim", "-o", "x", "--replication", "1"});
    const auto rows = csv_rows(folder.read("x/jobs.csv"));
    REQUIRE(rows.size() == 5);
    CHECK(rows[1].at("final_state") == "REJECTED");
    CHECK(rows[1].at("starting_time") == "-1");
    CHECK(rows[1].at("allocated_resources").empty());
    CHECK(rows[3].at("finish_time") == "400");
}

TEST_CASE("export: what is wrong is said in a line", "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml", experiment);
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    folder.write("old/replications.csv", "replication,seed,wait_s_mean\n0,1,2\n");
    struct Wrong {
        Arguments arguments;
        std::string message;
    };
    for (const auto& [arguments, message] : std::vector<Wrong>{
             {{"export"}, "berth export: error: no RUN"},
             {{"export", "out", "-o", "x"},
              "berth export: error: no format is named: expected --batsim"},
             {{"export", "out", "--batsim"},
              "berth export: error: no folder is named: expected -o DIR"},
             {{"export", "nowhere", "--batsim", "-o", "x"}, "nowhere: error: no such run"},
             {{"export", "old", "--batsim", "-o", "x"},
              "old: error: this is not a run directory with jobs.csv"},
             {{"export", "out", "--batsim", "-o", "out"},
              "out: error: is a run or a sweep, whose files are its own"},
             {{"export", "out", "--batsim", "-o", "x", "--replication", "2"},
              "--replication: error: '2': expected one of 0 to 1"}}) {
        const Answer answer = folder.berth(arguments);
        INFO(answer.err);
        CHECK(answer.status == 2);
        CHECK(answer.first_line().starts_with(message));
    }
    CHECK(folder.berth({"verify", "out"}).status == 0);
}

TEST_CASE("export: Evalys itself reads it", "[cli][jobs]") {
    const Folder folder;
    folder.write("e.yaml", experiment);
    done(folder, {"run", "e.yaml", "-o", "out", "--quiet"});
    done(folder, {"export", "out", "--batsim", "-o", "batsim"});
    if (std::system("python3 -c 'import evalys' >/dev/null 2>&1") != 0) {
        WARN("skipped: Evalys is not installed for python3 (pip install evalys)");
        return;
    }
    folder.write("read.py", R"(
from evalys.jobset import JobSet
js = JobSet.from_csv("batsim/jobs.csv")
df = js.df
assert len(df) == 4, len(df)
assert list(df["waiting_time"])[1] == 90
assert str(df["allocated_resources"].iloc[0]) == "0-1", df["allocated_resources"].iloc[0]
assert js.utilisation is not None and js.queue is not None
)");
    CHECK(std::system(("cd '" + folder.path().string() + "' && python3 read.py").c_str()) == 0);
}
