// Runs that Slurm decides. What it decides is compared with a plain model in tests/slurm.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

const std::string conf =
    "NodeName=n[1-2] CoresPerSocket=4 RealMemory=4000 Gres=gpu:a100:2\n"
    "PartitionName=batch Nodes=ALL Default=YES MaxTime=1:00:00\n"
    "PartitionName=night Nodes=n2 State=DOWN\n"
    "DefMemPerCPU=1000\n";

std::string experiment(const std::string& scheduler, const std::string& more = "") {
    return "kind: Experiment\nmetadata: {name: slurm}\nspec:\n"
           "  topology: {nodes: {format: slurm, file: slurm.conf}}\n" +
           more +
           "  workload: [{trace: {format: csv, file: jobs.csv, zero: trace}}]\n"
           "  scheduler: {slurm: " +
           scheduler + "}\n";
}

/// Of each job, when it started and where, or else why it did not.
std::map<std::string, std::string> starts(const Folder& folder) {
    std::map<std::string, std::string> starts;
    for (const CsvRow& job : csv_rows(folder.read("out/run/jobs.csv"))) {
        starts[job.at("job")] = job.at("start_s").empty() ? job.at("reason") : job.at("start_s");
    }
    for (const CsvRow& pod : csv_rows(folder.read("out/run/pods.csv"))) {
        if (!pod.at("node").empty()) {
            starts[pod.at("group").empty() ? pod.at("pod") : pod.at("group")] +=
                " " + pod.at("node");
        }
    }
    return starts;
}

using Starts = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("slurm: jobs of a run start when and where Slurm starts them", "[cli][slurm]") {
    const Folder folder;
    folder.write("slurm.conf", conf);
    // The example of docs/reference/slurm-decisions.md, with jobs that run 0.3 s longer.
    folder.write("jobs.csv",
                 "name,members,cpu,gpus,submit,run_time,time_limit,queue\n"
                 "runs,1,2,0,1,20.3,120,batch\n"
                 "wide,2,3,0,6,20.3,60,batch\n"
                 "long,1,1,0,9,20.3,300,batch\n"
                 "large,1,5,0,10,20.3,300,batch\n"
                 "late,1,1,0,11,20.3,7200,batch\n"
                 "dark,1,1,0,12,20.3,60,night\n"
                 "gpus,1,1,2,13,20.3,60,batch\n"
                 "part,1,1,0.5,14,20.3,60,batch\n");
    run_sound(folder,
              experiment("{conf: slurm.conf, settings: {SchedulerParameters: bf_interval=5}}"));
    CHECK(starts(folder) ==
          Starts{{"runs", "1.5 n1"},
                 {"wide", "22.4 n1 n2"},
                 {"long", "22.4 n2"},
                 {"large",
                  "Batch job submission failed: Requested node configuration is not available"},
                 {"late", "(PartitionTimeLimit)"},
                 {"dark", "(PartitionDown)"},
                 {"gpus", "16.5 n1"},
                 {"part", "it asks for a part of a GPU, which Slurm does not give"}});
}

TEST_CASE("slurm: without a file, servers are nodes and one partition has all", "[cli][slurm]") {
    const Folder folder;
    run_sound(folder,
              "kind: Experiment\nmetadata: {name: slurm}\nspec:\n"
              "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}], "
              "machineTypes: {m: {capacity: {cpu: 4}}}}}\n"
              "  types: {three: {cpu: 3}}\n"
              "  workload: [{pods: [{type: three, count: 3, lifetime: 10s, estimate: 1m}]}]\n"
              "  scheduler: {slurm: {}}\n");
    CHECK(starts(folder) ==
          Starts{{"pod-0", "0.5 server-0"}, {"pod-1", "0.5 server-1"}, {"pod-2", "11.1 server-0"}});
}

TEST_CASE("slurm: jobs on a server that fails go back into the queue", "[cli][slurm]") {
    const Folder folder;
    run_sound(folder,
              "kind: Experiment\nmetadata: {name: slurm}\nspec:\n"
              "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}], "
              "machineTypes: {m: {capacity: {cpu: 4}}}}}\n"
              "  types: {three: {cpu: 3}}\n"
              "  workload: [{pods: [{type: three, count: 3, lifetime: 10s, estimate: 1m}]}]\n"
              "  failures: {events: [{at: 5s, node: server-0, event: fail}, {at: 200s, node: "
              "server-0, event: repair}]}\n"
              "  scheduler: {slurm: {}}\n");
    // pod-0 may start again 121 s after it lost its node.
    CHECK(starts(folder) == Starts{{"pod-0", "126.5 server-1"},
                                   {"pod-1", "0.5 server-1"},
                                   {"pod-2", "11.1 server-1"}});
}

TEST_CASE("slurm: jobs that run when the run begins keep their nodes", "[cli][slurm]") {
    const Folder folder;
    const std::string head =
        "kind: Experiment\nmetadata: {name: slurm}\nspec:\n"
        "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}], "
        "machineTypes: {m: {capacity: {cpu: 4}}}}}\n"
        "  types: {three: {cpu: 3}}\n"
        "  scheduler: {slurm: {}}\n"
        "  workload:\n    - pods: [{type: three, count: 2, lifetime: 10s, estimate: 1m}]\n"
        "    - running:\n        lifetime: 50s\n        document: ";
    const auto pod = [](const std::string& name, const std::string& cpu) {
        return "{kind: Pod, metadata: {name: " + name +
               "}, spec: {nodeName: server-0, containers: [{resources: {requests: {cpu: " + cpu +
               "}}}]}}";
    };
    run_sound(folder, head + pod("old", "2") + "\n");
    CHECK(starts(folder) ==
          Starts{{"old", "0 server-0"}, {"pod-0", "0.5 server-1"}, {"pod-1", "11.1 server-1"}});
    // Each has its own core, so that four of half a CPU fit, and no fifth.
    folder.write("five.yaml",
                 head + "{kind: List, items: [" + pod("a", "500m") + ", " + pod("b", "500m") +
                     ", " + pod("c", "500m") + ", " + pod("d", "500m") + ", " + pod("e", "500m") +
                     "]}\n");
    const Answer answer = folder.berth({"validate", "five.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err,
               Catch::Contains("e runs on nodes where Slurm has no room for it, which "
                               "slurm does not do here"));
}

TEST_CASE("slurm: why a job waited is told in the words of squeue", "[cli][slurm]") {
    const Folder folder;
    folder.write("slurm.conf", conf);
    folder.write("jobs.csv",
                 "name,members,cpu,submit,run_time,time_limit\n"
                 "runs,1,2,1,20.3,120\n"
                 "wide,2,3,6,20.3,60\n"
                 "long,1,1,9,20.3,300\n");
    run_sound(folder, experiment("slurm.conf"));
    const auto why = [&](const std::string& job) {
        return folder.berth({"why", "out/run", job}).out;
    };
    CHECK_THAT(why("wide"),
               Catch::Contains("(Resources) it is the first of its partition, and what it asks "
                               "for is not free."));
    CHECK_THAT(why("long"),
               Catch::Contains("(Priority) 1 jobs come before it, and one of its partition waits "
                               "for resources."));
}

TEST_CASE("slurm: what is wrong in its files and keys is said at its place", "[cli][slurm]") {
    const Folder folder;
    folder.write("slurm.conf", conf);
    folder.write("jobs.csv", "name,cpu,submit,run_time\na,1,0,1\n");
    folder.write("bad.conf", "NodeName=n1\nPartitionName=batch Nodes=n1 MaxTime=soon\n");
    folder.write("other.conf", "NodeName=x CPUs=4\n");
    folder.write("large.conf", "NodeName=n1 CPUs=64\n");
    folder.write("accounting.txt", "a|b\n");
    const auto fails = [&](const std::string& scheduler, const std::string& message) {
        folder.write("e.yaml", experiment(scheduler));
        const Answer answer = folder.berth({"validate", "e.yaml"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err, Catch::Contains(message));
    };
    fails("bad.conf",
          "bad.conf:2: MaxTime is 'soon': expected minutes, H:M:S, D-H:M:S or UNLIMITED");
    fails("other.conf",
          "other.conf:1: the cluster has no server x: expected topology: {nodes: {format: slurm, "
          "file: slurm.conf}}");
    fails("large.conf", "large.conf:1: node n1 has 64 CPUs");
    fails("{conf: slurm.conf, accounting: accounting.txt}", "accounting.txt:1: the line is 'a|b'");
    fails("{conf: slurm.conf, settings: {MaxArraySize: [1]}}", "expected one text for each key");
    fails("{conf: slurm.conf, settings: {SchedulerType: sched/none}}",
          "settings.SchedulerType: SchedulerType is 'sched/none'");
    fails("{conf: slurm.conf, version: 19.05}", "expected a version from '20.11' to '26.05'");
    fails("{conf: slurm.conf, members: cores}", "expected nodes or tasks");
    fails("{conf: slurm.conf, bf_interval: 5}", "unknown key 'bf_interval' in slurm");
    fails("{conf: slurm.conf, settings: {SelectTypeParameters: CR_Core}}",
          "SelectTypeParameters does not count memory, and the cluster does");
}
