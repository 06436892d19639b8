// berth forecast of a cluster as it is now: what its lists and a history tell.

#include <fmt/format.h>

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

/// One server of 4 CPUs, on which jobs run and wait as a list says.
std::string state_of(const std::string& pods, const std::string& more = "") {
    return "kind: Experiment\nmetadata: {name: now}\nspec:\n"
           "  topology: {spec: {levels: [{name: host, count: 1}], machines: [{type: node}], "
           "machineTypes: {node: {capacity: {cpu: 4}}}}}\n"
           "  types: {one: {cpu: 1}, four: {cpu: 4}}\n"
           "  workload: [{pods: [" +
           pods +
           "]}]\n"
           "  scheduler: {profile: {queueSort: fcfs}}\n" +
           more;
}

/// A job each hour of two users, one after the other; each runs for a part of its limit that has
/// nothing to do with those of other jobs, or is much the same for all jobs of a user and a day.
std::string history(bool alike, int jobs = 400) {
    std::string out = "name,user,submit,start,finish,time_limit,cpu,status\n";
    for (int i = 0; i < jobs; ++i) {
        const int of = alike ? 2 * (i / 24) + i % 2 : i;
        std::mt19937_64 bits(static_cast<std::uint64_t>(of) * 0x9e3779b97f4a7c15U + 1);
        const double drawn = static_cast<double>(bits() >> 11) * 0x1p-53;
        const int at = 3600 * i;
        out += fmt::format("old-{},user-{},{},{},{},40000,{},completed\n",
                           i,
                           i % 2,
                           at,
                           at + 60,
                           at + 60 + static_cast<int>(1000 + 30000 * drawn),
                           1 + i / 2 % 2);
    }
    return out;
}

json forecast(const Folder& folder, const Arguments& more) {
    Arguments arguments{"forecast", "--json", "--replications", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(done(folder, arguments));
}

std::string refused(const Folder& folder, const Arguments& arguments) {
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    return answer.err;
}

/// A list of one node, a pod that runs there, and one that waits for it.
std::string cluster(const std::string& node, const std::string& used = "4") {
    const auto pod = [&](const std::string& name, const std::string& where, const char* phase) {
        return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name +
               R"(", "namespace": "lab", "creationTimestamp": "2026-03-01T00:00:00Z"},
  "spec": {)" + where +
               R"("activeDeadlineSeconds": 7200,
  "containers": [{"name": "main", "resources": {"requests": {"nvidia.com/gpu": ")" +
               used + R"("}}}]},
  "status": {"phase": ")" +
               phase + R"(", "startTime": "2026-03-01T00:00:00Z"}})";
    };
    return R"({"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
   "status": {"allocatable": {"cpu": "8", "nvidia.com/gpu": "4"}}},
)" + pod("runs", "\"nodeName\": \"" + node + "\", ", "Running") +
           ",\n" + pod("waits", "", "Pending") + "\n]}\n";
}

}  // namespace

TEST_CASE("forecast: a history tells how much jobs of one user resemble each other", "[cli]") {
    const Folder folder;
    folder.write("now.yaml", state_of("{name: mine, type: one}"));
    folder.write("apart.csv", history(false));
    folder.write("alike.csv", history(true));
    const json apart = forecast(folder, {"now.yaml", "--history", "apart.csv"}).at("basis");
    CHECK(apart.at("moments") > 20);
    CHECK(apart.at("same_user") < 0.3);
    const json alike = forecast(folder, {"now.yaml", "--history", "alike.csv"}).at("basis");
    CHECK(alike.at("same_user") > apart.at("same_user"));
}

TEST_CASE("forecast: one job of an unknown user is no queue of one user", "[cli]") {
    const Folder folder;
    folder.write("now.yaml", state_of("{name: mine, type: one}"));
    folder.write("past.csv", history(false, 60));
    const std::string text = done(folder, {"forecast", "now.yaml", "--history", "past.csv"});
    CHECK(text.find("note: no job of unknown users has ended yet: ") != std::string::npos);
    CHECK(text.find("most of the queue") == std::string::npos);
}

TEST_CASE("forecast: now does not depend on the order of the history", "[cli]") {
    const Folder folder;
    folder.write("now.yaml", state_of("{name: mine, type: one}"));
    const std::string header = "name,user,submit,start,finish,time_limit,cpu,status\n";
    const std::string early = "old,ann,100,200,900,1000,1,completed\n";
    const std::string late = "new,ann,5000,5100,5900,1000,1,completed\n";
    folder.write("up.csv", header + early + late);
    folder.write("down.csv", header + late + early);
    const json up = forecast(folder, {"now.yaml", "--history", "up.csv"});
    CHECK(up.at("now_s") == 5800);
    CHECK(up == forecast(folder, {"now.yaml", "--history", "down.csv"}));
}

TEST_CASE("forecast: one job that is far ahead of all others is said", "[cli]") {
    const Folder folder;
    folder.write("now.yaml", state_of("{name: mine, type: one}"));
    folder.write("past.csv", history(false, 58));  // The last two end within an hour.
    CHECK(forecast(folder, {"now.yaml", "--history", "past.csv"}).at("notes").empty());
    folder.write("ahead.csv", history(false, 58) + "ahead,ann,31536000,,,1000,1,pending\n");
    const json notes = forecast(folder, {"now.yaml", "--history", "ahead.csv"}).at("notes");
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].get<std::string>().starts_with("ahead alone tells what time it is now"));
}

TEST_CASE("forecast: a list of kubectl is a state and a history", "[cli]") {
    const Folder folder;
    folder.write("cluster.json", cluster("a"));
    const json answer = forecast(folder, {"cluster.json", "--run-times", "limits"});
    REQUIRE(answer.at("jobs").size() == 1);
    const json& job = answer.at("jobs")[0];
    CHECK(job.at("job") == "lab/waits");
    // The pod that runs began with the list and may run for two hours.
    CHECK(job.at("start_s").at("p10") > 0);
    CHECK(job.at("start_s").at("p90") <= 7200);
    CHECK(refused(folder, {"forecast", "cluster.json"}).find("no job has ended by then") !=
          std::string::npos);
}

TEST_CASE("forecast: limits that pods state are no reason for a warning", "[cli]") {
    const Folder folder;
    std::string two = cluster("a", "2");
    const std::size_t waits = two.rfind("{\"apiVersion\"");
    const std::size_t runs = two.rfind("{\"apiVersion\"", waits - 1);
    two.insert(waits, replaced(two.substr(runs, waits - runs), "\"runs\"", "\"runs, too\""));
    folder.write("cluster.json", two);
    const Answer answer = folder.berth({"forecast", "cluster.json", "--run-times", "limits"});
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
    CHECK(answer.out.starts_with("1 job waits and 2 run at "));
}

TEST_CASE("forecast: a list that contradicts itself is refused with the command's remedy",
          "[cli]") {
    const Folder folder;
    folder.write("gone.json", cluster("b"));
    const std::string gone = refused(folder, {"forecast", "gone.json", "--run-times", "limits"});
    CHECK(gone.find("pod 'lab/runs' runs on node 'b', which the topology lacks: expected a node of "
                    "the topology, or --lenient\n") != std::string::npos);
    const Answer lenient =
        folder.berth({"forecast", "gone.json", "--run-times", "limits", "--lenient"});
    CHECK(lenient.status == 0);
    CHECK(lenient.err.find("1 pod like it is left out") != std::string::npos);
}

TEST_CASE("forecast: Slurm's jobs and nodes are a state", "[cli]") {
    const Folder folder;
    folder.write("nodes.txt",
                 "NodeName=n1 CoresPerSocket=4 CPUAlloc=4 CPUEfctv=4 CPUTot=4 RealMemory=8000 "
                 "State=ALLOCATED Sockets=1 ThreadsPerCore=1 Boards=1 Partitions=main\n");
    const auto job = [](int id, const std::string& state, const std::string& more) {
        return fmt::format(
            "JobId={} JobName=j UserId=ann(1000) GroupId=ann(1000) Priority=1 Account=lab QOS=n "
            "JobState={} Reason=None SubmitTime=2026-03-01T00:00:00 {} TimeLimit=02:00:00 "
            "Partition=main NumNodes=1 NumCPUs=4 NumTasks=1 CPUs/Task=4 "
            "TRES=cpu=4,mem=4000M,node=1,billing=4\n",
            id,
            state,
            more);
    };
    folder.write("jobs.txt",
                 job(1,
                     "RUNNING",
                     "RunTime=01:00:00 StartTime=2026-03-01T00:00:00 "
                     "EndTime=2026-03-01T02:00:00 NodeList=n1") +
                     job(2, "PENDING", "RunTime=00:00:00 StartTime=Unknown EndTime=Unknown"));
    const json answer =
        forecast(folder, {"jobs.txt", "--nodes", "nodes.txt", "--run-times", "limits"});
    REQUIRE(answer.at("jobs").size() == 1);
    // It has run for one of two hours.
    CHECK(answer.at("jobs")[0].at("start_s").at("p90") <= 3600);
    CHECK(answer.at("jobs")[0].at("start_s").at("p10") > 0);
    // Slurm need not tell priorities, and a job without one is not held.
    folder.write("jobs.txt",
                 replaced(folder.read("jobs.txt"),
                          "Priority=1 Account=lab QOS=n JobState=PENDING",
                          "Account=lab QOS=n JobState=PENDING"));
    CHECK(forecast(folder, {"jobs.txt", "--nodes", "nodes.txt", "--run-times", "limits"}) ==
          answer);
    CHECK(refused(folder, {"forecast", "jobs.txt"}).find("expected --nodes FILE") !=
          std::string::npos);
}

TEST_CASE("forecast: a waiting job keeps the limit that its pods state", "[cli]") {
    const Folder folder;
    folder.write("cluster.json", cluster("a"));
    const json answer =
        forecast(folder, {"cluster.json", "--run-times", "limits", "--job", "lab/waits"});
    CHECK(answer.at("changes").dump().find("a limit of 1 h") != std::string::npos);
}

TEST_CASE("forecast: a change that changes nothing has the same starts", "[cli]") {
    const Folder folder;
    folder.write("now.yaml",
                 state_of("{name: a, type: four, count: 3}, {name: b, type: one, count: 20}"));
    folder.write("past.csv", history(true));
    folder.write("mine.yaml", "pods: [{name: mine, type: one, lifetime: 40000s}]\n");
    const json answer = forecast(
        folder, {"now.yaml", "--history", "past.csv", "--job", "mine.yaml", "--no-arrivals"});
    // The limit of a job does not matter to who starts before it.
    const auto change = std::ranges::find_if(answer.at("changes"), [](const json& one) {
        return one.at("change").get<std::string>().starts_with("a limit of");
    });
    REQUIRE(change != answer.at("changes").end());
    CHECK(change->at("start_s") == answer.at("jobs").back().at("start_s"));
}

TEST_CASE("forecast: a job that is asked about is told from its namesakes", "[cli]") {
    const Folder folder;
    folder.write("now.yaml",
                 state_of("{name: other, type: four}, {name: mine, type: one, lifetime: 1h}"));
    folder.write("past.csv", history(false, 60));
    folder.write("mine.yaml", "pods: [{name: mine, type: four, lifetime: 40000s}]\n");
    const Arguments asked{"now.yaml", "--history", "past.csv", "--job", "mine.yaml"};
    const json jobs = forecast(folder, asked).at("jobs");
    REQUIRE(jobs.size() == 3);
    CHECK(jobs[1].at("job") == jobs[2].at("job"));
    CHECK(jobs[1].at("asked") == false);
    CHECK(jobs[2].at("asked") == true);
    Arguments drawn{"forecast", "-o", "a.svg"};
    drawn.insert(drawn.end(), asked.begin(), asked.end());
    (void)done(folder, drawn);
    const std::string picture = folder.read("a.svg");
    const std::size_t first = picture.find(">as it is<");
    REQUIRE(first != std::string::npos);
    CHECK(picture.find(">as it is<", first + 1) == std::string::npos);
}

TEST_CASE("forecast: the cheapest change is the first that starts earlier", "[cli]") {
    const Folder folder;
    folder.write("cluster.json", cluster("a", "3"));
    folder.write("mine.yaml", R"(apiVersion: batch/v1
kind: Job
metadata: {name: mine, namespace: lab}
spec:
  activeDeadlineSeconds: 7200
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, resources: {requests: {nvidia.com/gpu: "2"}}}]
)");
    // One GPU is free: neither two pods that start together nor half the limit help.
    const json answer = forecast(
        folder, {"cluster.json", "--run-times", "limits", "--job", "mine.yaml", "--no-arrivals"});
    CHECK(answer.at("asked") == "lab/mine");
    CHECK(answer.at("cheapest") == "1 pod of 1 nvidia.com/gpu, and a limit of 4 h");
    CHECK(answer.at("changes").size() == 3);
}

TEST_CASE("forecast: wrong questions about a state get one line", "[cli]") {
    const Folder folder;
    folder.write("now.yaml", state_of("{name: mine, type: one}"));
    folder.write("past.csv", history(false, 60));
    folder.write("two.yaml", "pods: [{name: mine, type: one, count: 2, lifetime: 1h}]\n");
    const auto check = [&](const Arguments& more, const std::string& what) {
        Arguments arguments{"forecast", "now.yaml", "--history", "past.csv"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const std::string line = refused(folder, arguments);
        CAPTURE(line);
        CHECK(line.find(what) != std::string::npos);
        CHECK(line.find(": error: ", line.find(": error: ") + 1) == std::string::npos);
    };
    const auto job_with = [](const std::string& gpus) {
        return R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mine"}, "spec": )"
               R"({"template": {"spec": {"containers": [{"name": "main", "resources": )"
               R"({"requests": {"nvidia.com/gpu": ")" +
               gpus + "\"}}}]}}}}\n";
    };
    folder.write("part.json", job_with("2.5"));
    check({"--job", "part.json"}, "expected a whole number: Kubernetes shares out no parts");
    folder.write("large.json", job_with("90000000000000000000"));
    check({"--job", "large.json"}, "expected at most 9223372036854775807 units of nvidia.com/gpu");
    check({"--check", "5"}, "--check with a state");
    check({"--horizon", "0"}, "--horizon 0: expected a time above 0");
    check({"--job", "two.yaml"}, "two.yaml: error: 2 jobs: expected one");
}

TEST_CASE("forecast: a page, a picture or the answer is written", "[cli]") {
    const Folder folder;
    folder.write("now.yaml", state_of("{name: mine, type: one}"));
    folder.write("past.csv", history(false, 60));
    const std::string text =
        done(folder, {"forecast", "now.yaml", "--history", "past.csv", "--json", "-o", "a.json"});
    CHECK(folder.read("a.json") == text);
    (void)done(folder, {"forecast", "now.yaml", "--history", "past.csv", "-o", "a.html"});
    CHECK(folder.read("a.html").find("\"forecast\":{\"schema\"") != std::string::npos);
    (void)done(folder,
               {"forecast", "now.yaml", "--history", "past.csv", "--job", "mine", "-o", "a.svg"});
    const std::string picture = folder.read("a.svg");
    for (const char* shown : {"When they start", ">mine<", "What would change it", ">as it is<"}) {
        CHECK(picture.find(shown) != std::string::npos);
    }
    CHECK(refused(folder, {"forecast", "now.yaml", "--from", "sacct"}) ==
          "berth forecast: error: --from without --history, which it is about\n");
    CHECK(refused(folder, {"forecast", "now.yaml", "-o", "out/when"}) ==
          "out/when: error: expected a name that ends in .html for a page, .svg for a picture or "
          ".json for the answer\n");
}
