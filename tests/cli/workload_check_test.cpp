// `berth workload FILE --check`: the trace doctor applied to files.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "folder.hpp"

using namespace berth::tests;
using nlohmann::json;

namespace {

const std::string nodes = R"(sn,cpu_milli,memory_mib,gpu,model
north,32000,131072,4,G1
south,64000,131072,0,
)";

/// One pod per minute, with two CPUs and half a GPU for two minutes.
std::string pods(int count, const std::string& more = "") {
    std::string out =
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
        "deletion_time,scheduled_time\n";
    for (int i = 0; i < count; ++i) {
        const std::string name = "pod-" + std::to_string(i);
        out += name + ",2000,1024,1,500,,LS,Succeeded," + std::to_string(60 * i) + "," +
               std::to_string(60 * i + 120) + "," + std::to_string(60 * i) + "\n";
    }
    return out + more;
}

struct Check : Folder {
    explicit Check(const std::string& trace) {
        write("pods.csv", trace);
        write("nodes.csv", nodes);
    }
    [[nodiscard]] Answer run(Arguments more) const {
        Arguments arguments{"workload", "pods.csv", "--check"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return berth(arguments);
    }
    [[nodiscard]] json trace() const {
        const Answer answer = run({"--nodes", "nodes.csv", "--json"});
        const json out = json::parse(answer.out);
        CHECK(out["schema"] == "berth.trace-check/v1");
        REQUIRE(out["traces"].size() == 1);
        return out["traces"][0];
    }
};

}  // namespace

TEST_CASE("check: a trace without fault", "[cli][doctor]") {
    const Check check(pods(50));
    const Answer answer = check.run({"--nodes", "nodes.csv"});
    CHECK(answer.status == 0);
    CHECK(answer.err ==
          "pods.csv: note: read as a trace of the format openb, since its header has cpu_milli and "
          "num_gpu; --from names another\n"
          "nodes.csv: warning: read as nodes of the format openb, since its header has sn and "
          "cpu_milli; --nodes-from names another\n");
    CHECK(check.run({"--from", "openb", "--nodes", "nodes.csv", "--nodes-from", "openb"})
              .err.empty());
    CHECK(answer.out ==
          "pods.csv: usable\njobs            50\npods            "
          "50\nsubmitted       0 s to 49 min\nbusiest hour    50 jobs, 100 %\nrun "
          "time        2 min on average\nstart-up        60 s until the load "
          "reaches its median level\nstatus          completed: 50\npods a "
          "job      1: 50\ncpu             100 in all, 1.04 times the cluster; "
          "offered load 0.0425\nmemory          50 Gi in all, 0.195 times the "
          "cluster; offered load 0.00797\ngpu             25 in all, 6.25 times "
          "the cluster; offered load 0.255\n");
}

TEST_CASE("check: what can never run, and where it stands", "[cli][doctor]") {
    const Check check(pods(50,
                           "big,65000,1024,0,0,,LS,Succeeded,3000,3060,3000\n"
                           "other,1000,1024,1,1000,G7|G8,LS,Succeeded,3000,3060,3000\n"));
    const Answer answer = check.run({"--nodes", "nodes.csv"});
    CHECK(answer.status == 0);
    CHECK(answer.out.starts_with(
        "pods.csv: usable with care\n"
        "  1 of 52 jobs (1.92 %) name GPU models of which the cluster has none: the first is "
        "'other', line 53\n"
        "  1 of 52 jobs (1.92 %) want more CPUs on one server than any has with GPUs that they "
        "accept: the first is 'big', line 52\n"));
    const json trace = check.trace();
    CHECK(trace["verdict"] == "usable with care");
    CHECK(trace["findings"][1]["name"] == "too_much_cpu");
    CHECK(trace["findings"][1]["first"] == json{{"job", "big"}, {"line", 52}});
    CHECK(check.run({}).out.starts_with("pods.csv: usable\njobs "));  // unknown without a cluster
}

TEST_CASE("check: a trace that is not usable ends with 1", "[cli][doctor]") {
    std::string never;
    for (int i = 0; i < 10; ++i) {
        never += "big-" + std::to_string(i) + ",1000,1024,8,1000,,LS,Succeeded,3000,3060,3000\n";
    }
    const Check check(pods(70, never));
    const Answer answer = check.run({"--nodes", "nodes.csv"});
    CHECK(answer.status == 1);
    CHECK(answer.out.starts_with(
        "pods.csv: not usable as it is: 12.5 % of the jobs can never run on this cluster\n"));
    CHECK(check.trace()["why"] == json{"12.5 % of the jobs can never run on this cluster"});
}

TEST_CASE("check: wrong rows end it, or are counted", "[cli][doctor]") {
    const Check check(pods(50, "wrong,-5,1024,0,0,,LS,Running,3000,3060,3000\n"));
    const Answer answer = check.run({"--from", "openb"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line().starts_with("pods.csv:52:7: error: "));
    CHECK(answer.out.empty());
    const Answer lenient = check.run({"--lenient"});
    CHECK(lenient.status == 0);
    CHECK(
        lenient.out.starts_with("pods.csv: usable with care\n"
                                "  wrong rows that were skipped: 1; the first: "
                                "pods.csv:52:7: error: "));
}

TEST_CASE("check: every trace of a document, against its cluster", "[cli][doctor]") {
    const Check check(pods(50, "big,65000,1024,0,0,,LS,Succeeded,3000,3060,3000\n"));
    check.write("experiment.yaml", R"(kind: Experiment
metadata: {name: replay}
spec:
  topology: {nodes: {format: openb, file: nodes.csv}}
  workload: [{trace: {format: openb, file: pods.csv}}]
)");
    const std::string out = done(check, {"workload", "experiment.yaml", "--check"});
    CHECK(out.starts_with("trace: usable with care\n  1 of 51 jobs (1.96 %) want more CPUs"));
    const Answer both = check.berth({"workload", "experiment.yaml", "--check", "--lenient"});
    CHECK(both.status == 2);
    CHECK(both.first_line() ==
          "berth workload: error: --lenient cannot be used with a document, which says so itself: "
          "expected it with a trace only");

    // A run also says so, and continues.
    const Answer run = check.berth({"run", "experiment.yaml", "--quiet", "-o", "out"});
    CHECK(run.status == 0);
    const std::string warning =
        "trace: 1 of 51 jobs (1.96 %) want more CPUs on one server than any has with GPUs that "
        "they accept: the first is 'big', line 52";
    CHECK(run.err == "replay: warning: " + warning + "\n");
    CHECK(json::parse(check.read("out/summary.json"))["warnings"] == json{warning});
}

TEST_CASE("check: a run that ignores times hears nothing of them", "[cli][doctor]") {
    std::string trace = pods(50);
    for (int i = 0; i < 9; ++i) {
        trace += "cut-" + std::to_string(i) + ",1000,1024,0,0,,LS,Running,60,90000,60\n";
    }
    const Check check(trace);
    const std::string document = R"(kind: Experiment
metadata: {name: replay}
spec:
  topology: {nodes: {format: openb, file: nodes.csv}}
  workload: [{trace: {format: openb, file: pods.csv, order: file, times: ignore}}]
)";
    check.write("arrivals.yaml", document);
    check.write("times.yaml", replaced(document, ", order: file, times: ignore", ""));
    CHECK(check.berth({"run", "arrivals.yaml", "--quiet", "-o", "out"}).err.empty());
    CHECK(check.berth({"run", "times.yaml", "--quiet", "-o", "out"})
              .first_line()
              .starts_with("replay: warning: trace: 9 of 59 jobs (15.3 %) end at the very last "));
}

TEST_CASE("check: wrong ways to ask", "[cli][doctor]") {
    const Check check(pods(3));
    check.write("plain.yaml", "kind: Workload\nspec: {sources: [{background: {load: 0.5}}]}\n");
    const auto first_line = [&](const Arguments& arguments) {
        const Answer answer = check.berth(arguments);
        CHECK(answer.status == 2);
        return answer.first_line();
    };
    CHECK(first_line({"workload", "plain.yaml", "--check"})
              .starts_with(
                  "plain.yaml: error: found no trace to check: expected a source such as trace: "));
    CHECK(first_line({"workload", "plain.yaml", "--json"}) ==
          "berth workload: error: --json without --check: expected both");
    CHECK(first_line({"workload", "pods.csv", "--check", "--trace", "openbee"})
              .starts_with("pods.csv: error: unknown trace format 'openbee': expected "));
    CHECK(first_line({"workload", "missing.csv", "--check"}).starts_with("missing.csv: error: "));
}

TEST_CASE("check: the published trace of shared GPUs, where it is at hand", "[cli][doctor]") {
    const std::filesystem::path data =
        std::filesystem::path(BERTH_SOURCE_DIR) / "../shared/data/openb";
    if (!std::filesystem::exists(data)) {
        return;  // it is not part of the project
    }
    const Folder folder;
    const json out = json::parse(done(folder,
                                      {"workload",
                                       data / "openb_pod_list_default.csv",
                                       "--check",
                                       "--nodes",
                                       data / "openb_node_list_gpu_node.csv",
                                       "--json"}));
    const json& trace = out["traces"][0];
    CHECK(trace["jobs"] == 8152);
    CHECK(trace["verdict"] == "usable with care");
    // Those without a scheduled_time were deleted while they were pending.
    CHECK(trace["findings"][0]["name"] == "never_started");
    CHECK(trace["findings"][0]["jobs"] == trace["status"]["pending"]);
    // The others are running according to the trace, although they have been deleted.
    CHECK(trace["findings"][1]["name"] == "finish_while_running");
    CHECK(trace["findings"][1]["jobs"] == trace["status"]["running"]);
    CHECK(trace["findings"][2]["name"] == "warm_up");
    CHECK(trace["resources"][2]["capacity"] == 6212);
}
