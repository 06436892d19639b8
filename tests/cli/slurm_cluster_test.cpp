// The present state of a Slurm cluster: its nodes, what runs on them and what waits.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string node(const std::string& name, const std::string& state, const std::string& partition) {
    return "NodeName=" + name +
           " Arch=x86_64 CPUAlloc=0 CPUEfctv=16 CPUTot=16 CPULoad=0.01 "
           "ActiveFeatures=ib Gres=gpu:a100:4(S:0-1) OS=Linux 6.1 #1 SMP  RealMemory=64000 "
           "State=" +
           state + " ThreadsPerCore=1 Partitions=" + partition +
           " CfgTRES=cpu=16 MemSpecLimit=1000";
}

std::string job(const std::string& id, const std::string& state, const std::string& rest) {
    return "JobId=" + id + " JobName=j UserId=ann(1001) Priority=1 Account=a JobState=" + state +
           " Dependency=(null) TimeLimit=01:00:00 SubmitTime=2026-01-01T10:00:00 "
           "EligibleTime=2026-01-01T10:00:00 NumCPUs=4 " +
           rest;
}

const std::string nodes = node("n1", "MIXED", "batch") + "\n" + node("n2", "IDLE", "batch,long") +
                          "\n" + node("n3", "IDLE+DRAIN", "batch") + "\n" +
                          node("n4", "DOWN*", "batch") + "\n" + node("n5", "IDLE~", "long") + "\n";

const std::string jobs =
    job("1",
        "RUNNING",
        "StartTime=2026-01-01T10:10:00 EndTime=2026-01-01T11:10:00 Partition=batch NodeList=n[1-2] "
        "NumNodes=2 TRES=cpu=4,mem=4000M,node=2,gres/gpu=8,gres/gpu:a100=8 "
        "TresPerNode=gres:gpu:4") +
    "\n" +
    job("2",
        "COMPLETED",
        "StartTime=2026-01-01T10:00:00 EndTime=2026-01-01T10:30:00 Partition=batch NodeList=n1 "
        "NumNodes=1 TRES=cpu=4,mem=4000M,node=1") +
    "\n" +
    job("3",
        "PENDING",
        "StartTime=2026-01-01T12:00:00 EndTime=Unknown Partition=long NodeList= NumNodes=1 "
        "TRES=cpu=4,mem=4000M,node=1,gres/gpu=4 TresPerNode=gres:gpu:4") +
    "\n" +
    job("4",
        "PENDING",
        "StartTime=Unknown EndTime=Unknown Partition=batch NodeList= NumNodes=2-2 "
        "TRES=cpu=4,mem=4000M,node=2,gres/gpu=8 TresPerNode=gres:gpu:4") +
    "\n";

std::string experiment(const std::string& running) {
    return "kind: Experiment\nmetadata: {name: slurm}\nspec:\n"
           "  topology: {nodes: {format: slurm, file: nodes.txt}}\n"
           "  workload: [{running: {format: slurm, file: jobs.txt" +
           running + "}}]\n";
}

using Rows = std::map<std::string, std::string>;

Rows of(const Folder& folder, const std::string& column) {
    Rows out;
    for (const CsvRow& row : csv_rows(folder.read("out/slurm/pods.csv"))) {
        out[row.at("pod")] = row.at(column);
    }
    return out;
}

}  // namespace

TEST_CASE("slurm: nodes are read, and those that take no jobs are left out", "[cli][slurm]") {
    const Folder folder;
    folder.write("nodes.txt", nodes);
    const Answer topology = folder.berth({"topology", "nodes.txt"});
    REQUIRE(topology.status == 0);
    CHECK_THAT(topology.out, Catch::Contains("5 servers"));
    CHECK_THAT(topology.out, Catch::Contains("a100"));
    folder.write("jobs.txt", jobs);
    folder.write("slurm.yaml", experiment(", lifetime: limit"));
    CHECK_THAT(folder.berth({"run", "slurm.yaml"}).err,
               Catch::Contains("2 of 5 nodes take no pods and are left out: n3 (cordoned), n4 (not "
                               "ready)"));
}

TEST_CASE("slurm: what stands in JSON of nodes may be of any kind", "[cli][slurm][bad-input]") {
    const Folder folder;
    folder.write("nodes.json",
                 R"({"nodes": [{"name": "a", "cpus": 8, "threads": 1, "state": [7], )"
                 R"("real_memory": {"set": 1, "number": 64000}, "partitions": "p", )"
                 "\"active_features\": [\"\xff\", null]}]}");
    const Answer answer = folder.berth({"topology", "nodes.json", "--from", "slurm"});
    CHECK(answer.status == 2);  // such text is not UTF-8
    folder.write("nodes.txt", "NodeName=a CPUTot=8 RealMemory=1000 State=IDLE Partitions=\xff\n");
    CHECK(folder.berth({"topology", "nodes.txt", "--from", "slurm"}).status == 0);
    folder.write("nodes.json",
                 R"({"nodes": [{"name": "a", "cpus": 8, "threads": 1, "state": [7], )"
                 R"("real_memory": {"set": 1, "number": 64000}, "active_features": [null]}, 5]})");
    CHECK(folder.berth({"topology", "nodes.json"}).status == 2);
}

TEST_CASE("slurm: partitions whose names no label can have stay apart", "[cli][slurm]") {
    const auto pending = [](const std::string& id, const std::string& partition) {
        return job(id,
                   "PENDING",
                   "StartTime=Unknown EndTime=Unknown Partition=" + partition +
                       " NodeList= NumNodes=1 TRES=cpu=4,mem=4000M,node=1") +
               "\n";
    };
    const Folder folder;
    folder.write("nodes.txt", node("n1", "IDLE", "a+b") + "\n" + node("n2", "IDLE", "a:b") + "\n");
    folder.write("jobs.txt", pending("1", "a:b") + pending("2", "a+b"));
    folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
    (void)done(folder, {"run", "slurm.yaml", "-q"});
    CHECK(of(folder, "node") == Rows{{"1", "n2"}, {"2", "n1"}});
}

TEST_CASE("slurm: what runs is on its nodes, and goes on as long as it is told", "[cli][slurm]") {
    const Folder folder;
    folder.write("nodes.txt", nodes);
    folder.write("jobs.txt", jobs);
    folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
    REQUIRE(folder.berth({"run", "slurm.yaml"}).status == 0);
    // The latest time in the text is 10:30, when job 2 ended: 40 minutes are left of job 1. Job 3
    // may only run on the nodes of its partition, of which n5 is free; job 4 needs both n1 and n2.
    CHECK(of(folder, "start_s") ==
          Rows{{"1-0", "0"}, {"1-1", "0"}, {"3", "0"}, {"4-0", "2400"}, {"4-1", "2400"}});
    CHECK(of(folder, "finish_s").at("1-0") == "2400");
    CHECK(of(folder, "node") ==
          Rows{{"1-0", "n1"}, {"1-1", "n2"}, {"3", "n5"}, {"4-0", "n1"}, {"4-1", "n2"}});
    CHECK(folder.berth({"verify", "out/slurm"}).status == 0);

    folder.write("slurm.yaml", experiment("") + "  until: 1d\n");
    const Answer endless = folder.berth({"run", "slurm.yaml"});
    CHECK(endless.status == 0);
    CHECK_THAT(endless.err, Catch::Contains("1 job (such as 1) have no known end"));
    CHECK(of(folder, "outcome") == Rows{{"1-0", "running"}, {"1-1", "running"}});

    folder.write("slurm.yaml", experiment(", lifetime: 10m"));
    REQUIRE(folder.berth({"run", "slurm.yaml"}).status == 0);
    CHECK(of(folder, "finish_s").at("1-1") == "600");
}

TEST_CASE("slurm: the same jobs by text and by JSON", "[cli][slurm]") {
    const Folder folder;
    folder.write("jobs.txt", jobs);
    folder.write("jobs.json",
                 R"({"jobs": [{"job_id": 1, "job_state": ["RUNNING"], "user_name": "ann", )"
                 R"("partition": "batch", "account": "a", )"
                 R"("submit_time": {"set": true, "number": 1767261600}, )"
                 R"("eligible_time": {"set": true, "number": 1767261600}, )"
                 R"("start_time": {"set": true, "number": 1767262200}, )"
                 R"("end_time": {"set": true, "number": 1767265800}, )"
                 R"("time_limit": {"set": true, "number": 60}, )"
                 R"("node_count": {"set": true, "number": 2}, "nodes": "n[1-2]", )"
                 R"("cpus": {"set": true, "number": 4}, "priority": {"set": true, "number": 1}, )"
                 R"("tres_req_str": "cpu=4,mem=4000M,node=2,gres/gpu=8", )"
                 R"("tres_alloc_str": "cpu=4,mem=4000M,node=2,gres/gpu=8,gres/gpu:a100=8"}]})");
    const Answer text = folder.berth({"workload", "jobs.txt", "--to", "jsonl"});
    const Answer json = folder.berth({"workload", "jobs.json", "--to", "jsonl"});
    REQUIRE(text.status == 0);
    REQUIRE(json.status == 0);
    CHECK(text.out.substr(0, text.out.find('\n')) == json.out.substr(0, json.out.find('\n')));
}

TEST_CASE("slurm: wrong inputs", "[cli][slurm][bad-input]") {
    struct Row {
        std::string nodes;
        std::string jobs;
        std::string running;
        std::string message;
    };
    std::string twice = jobs;
    twice.replace(twice.find("JobName=j"), 9, "JobName=a Priority=9");
    std::string list = jobs;
    list.replace(list.find("n[1-2]"), 6, "n[2-1]");
    const Row row = GENERATE_COPY(
        Row{"what is this\n", jobs, "", "found no node of Slurm: expected what scontrol show node"},
        Row{"NodeName=a CPUTot=many State=IDLE\n", jobs, "", "node 'a' has CPUs 'many'"},
        Row{nodes, "nothing\n", "", "no job: expected what scontrol show job prints"},
        Row{nodes, twice, "", "Priority= stands there twice"},
        Row{nodes,
            list,
            "",
            "NodeList: no list of nodes 'n[2-1]': expected such as n[1-3,7],login"},
        Row{nodes, jobs, ", lifetime: soon", "expected limit, or a duration such as 10ms"},
        Row{node("m1", "IDLE", "batch") + "\n",
            jobs,
            "",
            "job 1, the first of 1, runs on nodes that the topology lacks"});
    CAPTURE(row.message);
    const Folder folder;
    folder.write("nodes.txt", row.nodes);
    folder.write("jobs.txt", row.jobs);
    folder.write("slurm.yaml", experiment(row.running));
    const Answer answer = folder.berth({"validate", "slurm.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains(row.message));
}

TEST_CASE("slurm: a job goes on where its nodes do, if some of them are left out", "[cli][slurm]") {
    const Folder folder;
    folder.write("nodes.txt",
                 node("n1", "MIXED", "batch") + "\n" + node("n3", "MIXED+DRAIN", "batch") + "\n");
    folder.write("jobs.txt",
                 job("1",
                     "RUNNING",
                     "StartTime=2026-01-01T10:00:00 EndTime=2026-01-01T11:00:00 Partition=batch "
                     "NodeList=n[1,3] NumNodes=2 TRES=cpu=4,mem=4000M,node=2,gres/gpu=8") +
                     "\n" +
                     job("2",
                         "PENDING",
                         "StartTime=Unknown EndTime=Unknown Partition=batch NodeList= NumNodes=1 "
                         "TRES=cpu=4,mem=4000M,node=1,gres/gpu=4") +
                     "\n");
    folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
    const Answer answer = folder.berth({"run", "slurm.yaml", "-q"});
    REQUIRE(answer.status == 0);
    CHECK_THAT(answer.err, Catch::Contains("left out, with the pod that runs there: n3"));
    CHECK(of(folder, "node") == Rows{{"1-0", "n1"}, {"2", "n1"}});
    CHECK(of(folder, "start_s") == Rows{{"1-0", "0"}, {"2", "3600"}});
}

TEST_CASE("slurm: the present is the latest time that any job shows", "[cli][slurm]") {
    const auto start_of = [](const std::string& running, const std::string& waiting) {
        const Folder folder;
        folder.write("nodes.txt", node("n1", "MIXED", "batch") + "\n");
        folder.write("jobs.txt",
                     job("1",
                         "RUNNING",
                         "StartTime=2026-01-01T10:00:00 EndTime=2026-01-01T11:00:00 "
                         "Partition=batch NodeList=n1 NumNodes=1 "
                         "TRES=cpu=4,mem=4000M,node=1,gres/gpu=4 " +
                             running) +
                         "\n" + waiting + "\n");
        folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
        (void)done(folder, {"run", "slurm.yaml", "-q"});
        return of(folder, "finish_s").at("1");
    };
    const std::string waiting = job("2",
                                    "PENDING",
                                    "StartTime=Unknown EndTime=Unknown Partition=batch NodeList= "
                                    "NumNodes=1 TRES=cpu=4,mem=4000M,node=1");
    CHECK(start_of("RunTime=00:20:00", waiting) == "2400");
    const std::string later =
        replaced(replaced(waiting, "SubmitTime=2026-01-01T10:00", "SubmitTime=2026-01-01T10:45"),
                 "EligibleTime=2026-01-01T10:00",
                 "EligibleTime=2026-01-01T10:45");
    CHECK(start_of("RunTime=00:20:00", later) == "900");
    Folder folder;
    folder.write("nodes.txt", node("n1", "IDLE", "batch") + "\n");
    folder.write(
        "jobs.txt",
        replaced(waiting, "EligibleTime=2026-01-01T10:00", "EligibleTime=2026-01-01T10:45") + "\n");
    folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
    // A trace could be told to take submit times, and a list of present jobs cannot.
    CHECK_THAT(folder.berth({"validate", "slurm.yaml"}).err, !Catch::Contains("arrival: submit"));
}

TEST_CASE("slurm: a job of a partition that no node has waits", "[cli][slurm]") {
    const Folder folder;
    folder.write("nodes.txt", node("n1", "IDLE", "batch") + "\n");
    folder.write("jobs.txt",
                 job("1",
                     "PENDING",
                     "StartTime=Unknown EndTime=Unknown Partition=bigmem NodeList= NumNodes=1 "
                     "TRES=cpu=4,mem=4000M,node=1") +
                     "\n");
    folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
    const Answer answer = folder.berth({"run", "slurm.yaml", "-q"});
    CHECK_THAT(answer.err, Catch::Contains("1 pod may run on no server of this cluster"));
    CHECK(of(folder, "start_s") == Rows{{"1", ""}});
}

TEST_CASE("slurm: what lists of jobs tell beyond a run is said", "[cli][slurm]") {
    const Folder folder;
    folder.write("nodes.txt", node("n1", "IDLE", "batch") + "\n" + node("n2", "IDLE", "batch"));
    folder.write("jobs.txt",
                 job("1",
                     "REQUEUE_HOLD",
                     "StartTime=Unknown EndTime=Unknown Partition=batch ExcNodeList=n1 NodeList= "
                     "NumNodes=2 TRES=cpu=4,mem=4000M,node=2,gres/gpu=3") +
                     "\n");
    folder.write("slurm.yaml", experiment(", lifetime: limit, pending: true"));
    const Answer answer = folder.berth({"run", "slurm.yaml", "-q"});
    INFO(answer.err);
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("jobs whose GPUs do not divide evenly among their nodes: 1") &&
                   Catch::Contains("ExcNodeList"));
}

TEST_CASE("slurm: sinfo shows equal nodes together", "[cli][slurm]") {
    const Folder folder;
    const std::string entry =
        R"({"node": {"state": ["IDLE"]}, "nodes": {"nodes": ["gpu[01-02]"]}, "cpus": {"minimum": 64, )"
        R"("maximum": 64}, "memory": {"minimum": 512000, "maximum": 512000}, "gres": {"total": )"
        R"("gpu:a100:4"}, "partition": {"name": "gpu"}})";
    folder.write("nodes.json",
                 R"({"sinfo": [)" + entry + ", " + replaced(entry, "\"gpu\"", "\"long\"") + "]}");
    const Answer topology = folder.berth({"topology", "nodes.json"});
    INFO(topology.err);
    CHECK(topology.status == 0);
    CHECK_THAT(topology.out, Catch::Contains("2 servers"));
    folder.write("nodes.json",
                 R"({"sinfo": [)" + replaced(entry, "\"maximum\": 64}", "\"maximum\": 96}") + "]}");
    CHECK_THAT(folder.berth({"topology", "nodes.json"}).err,
               Catch::Contains("error: sinfo shows nodes with different cpus together: expected "
                               "what scontrol show node --json prints"));
}

TEST_CASE("slurm: a time of 0 in JSON is none", "[cli][slurm]") {
    const Folder folder;
    folder.write(
        "jobs.json",
        R"({"jobs": [{"job_id": 1, "job_state": ["PENDING"], "partition": "p", "user_name": )"
        R"("u", "submit_time": {"set": true, "infinite": false, "number": 1709287200}, )"
        R"("eligible_time": {"set": true, "infinite": false, "number": 0}, "start_time": )"
        R"({"set": true, "infinite": false, "number": 0}, "node_count": 1, "cpus": 4, "priority": 1, )"
        R"("tres_req_str": "cpu=4,mem=8G,node=1"}]})");
    folder.write("nodes.txt", node("n1", "IDLE", "p") + "\n");
    folder.write("slurm.yaml",
                 replaced(experiment(", lifetime: 1h, pending: true"), "jobs.txt", "jobs.json"));
    (void)done(folder, {"run", "slurm.yaml", "-q"});
    CHECK(of(folder, "start_s") == Rows{{"1", "0"}});
}

TEST_CASE("slurm: accounting of old versions has numbers for GPUs", "[cli][slurm]") {
    const Folder folder;
    folder.write("t.txt",
                 "JobID|Submit|Start|End|State|NNodes|AllocCPUS|AllocGRES|Priority\n"
                 "15|2021-03-01T10:00:00|2021-03-01T10:00:00|2021-03-01T11:00:00|COMPLETED|1|8|"
                 "7696487:4|4294901759\n");
    const Answer answer = folder.berth({"workload", "t.txt", "--from", "sacct", "--check"});
    INFO(answer.out << answer.err);
    CHECK_THAT(answer.out, Catch::Contains("gpu             4 in all"));
    CHECK_THAT(answer.err, Catch::Contains("jobs with priorities above 2147483647: 1; they have"));
}
