// Experiments whose jobs come from an invented trace, and mistakes in it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string header =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

// `whole` is first in the file, but comes later than `half`; `vain` never started; `cut` still runs
// when the trace ends.
const std::string trace = header +
                          "whole,4000,1024,1,1000,,LS,Succeeded,10,70,12\n"
                          "half,1000,1024,1,500,,LS,Succeeded,5,50,5\n"
                          "vain,4000,1024,2,1000,,LS,Pending,20,50,\n"
                          "cut,4000,1024,2,1000,red|blue,LS,Running,30,100,40\n";

const std::string nodes =
    "sn,cpu_milli,memory_mib,gpu,model\n"
    "green-0,16000,65536,2,green\n"
    "blue-0,16000,65536,2,blue\n"
    "blue-1,16000,65536,2,blue\n";

const std::string experiment = R"(kind: Experiment
metadata: {name: traced}
spec:
  topology: {nodes: {format: openb, file: data/nodes.csv}}
  workload:
    - trace: {format: openb, file: data/pods.csv}
)";

struct Traced : Folder {
    explicit Traced(const std::string& pods = trace) {
        std::filesystem::create_directory(path() / "data");
        write("data/nodes.csv", nodes);
        write("data/pods.csv", pods);
        write("experiment.yaml", experiment);
    }
    /// The rows of pods.csv of a run with these additional arguments.
    [[nodiscard]] std::vector<CsvRow> pods(const Arguments& more = {}) const {
        Arguments arguments{"run", "experiment.yaml", "-o", "out", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        (void)done(*this, arguments);
        return csv_rows(read("out/pods.csv"));
    }
    [[nodiscard]] Answer run(const Arguments& more = {}) const {
        Arguments arguments{"run", "experiment.yaml", "-o", "out"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return berth(arguments);
    }
    [[nodiscard]] std::string absolute(const std::string& file) const {
        return std::filesystem::canonical(path() / file).string();
    }
};

Arguments set(const std::string& assignment) {
    return {"--set", "spec.workload[0]." + assignment};
}

Arguments operator+(Arguments a, const Arguments& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::map<std::string, CsvRow> by_name(const std::vector<CsvRow>& rows) {
    std::map<std::string, CsvRow> out;
    for (const CsvRow& row : rows) {
        out[row.at("pod")] = row;
    }
    return out;
}

const Arguments as_it_stands = set("trace.order=file");

}  // namespace

TEST_CASE("trace: jobs come and go as recorded", "[cli][trace]") {
    const Traced traced;
    const auto pods = by_name(traced.pods());
    REQUIRE(pods.size() == 3);
    // The first arrival, at 5 s of the trace, is at 0 s of the run.
    CHECK(pods.at("half").at("submit_s") == "0");
    CHECK(pods.at("half").at("finish_s") == "45");   // 50 - 5
    CHECK(pods.at("whole").at("finish_s") == "63");  // 10 - 5 + (70 - 12)
    CHECK(pods.at("cut").at("submit_s") == "25");
    CHECK(pods.at("cut").at("outcome") == "running");
    CHECK(pods.at("half").at("demand") == "cpu=1 memory=1073741824 nvidia.com/gpu=0.5");
    // Only the blue servers have a model that the pod accepts, and two free devices.
    CHECK(pods.at("cut").at("node").starts_with("blue-"));
}

TEST_CASE("trace: who never started is told of, and does not arrive", "[cli][trace]") {
    const Answer answer = Traced().run();
    CHECK(answer.status == 0);
    CHECK(answer.first_line() ==
          "experiment.yaml:6:36: warning: jobs left out, as they never started and "
          "their run time is unknown: 1; with times: ignore they arrive too, and no job ends");
}

TEST_CASE("trace: in the order of the file, pods arrive one by one and stay", "[cli][trace]") {
    const Traced traced;
    const std::vector<CsvRow> pods = traced.pods(as_it_stands);
    REQUIRE(pods.size() == 4);
    const std::vector<std::string> order{"whole", "half", "vain", "cut"};
    for (std::size_t i = 0; i < pods.size(); ++i) {
        CHECK(pods[i].at("pod") == order[i]);
        CHECK(pods[i].at("submit_s") == (i == 0 ? "0" : "0.00000" + std::to_string(i)));
        CHECK(pods[i].at("finish_s").empty());
    }
}

TEST_CASE("trace: shuffled, the same pods in an order of each replication's own", "[cli][trace]") {
    const Traced traced;
    const auto pods = traced.pods(as_it_stands + set("shuffle=true") +
                                  Arguments{"--set", "spec.replications=20"});
    std::map<std::string, std::vector<std::string>> orders;
    for (const CsvRow& row : pods) {
        orders[row.at("replication")].push_back(row.at("pod"));
    }
    REQUIRE(orders.size() == 20);
    std::set<std::vector<std::string>> distinct;
    for (auto& [replication, order] : orders) {
        distinct.insert(order);
        std::ranges::sort(order);
        CHECK(order == std::vector<std::string>{"cut", "half", "vain", "whole"});
    }
    CHECK(distinct.size() > 5);
}

TEST_CASE("trace: tuned, pods ask for so many times the cluster's GPUs", "[cli][trace]") {
    const Traced traced;
    const auto pods = traced.pods(as_it_stands + set("tune={to: 1.5}"));
    std::int64_t milli = 0;
    for (const CsvRow& row : pods) {
        const std::string& demand = row.at("demand");
        milli += std::int64_t(1000 * std::stod(demand.substr(demand.rfind('=') + 1)));
    }
    // 1.5 x 6 GPUs: the next pod would have exceeded this, and the last one asks for up to two
    // GPUs.
    CHECK(milli > 8000);
    CHECK(milli <= 10'000);
}

TEST_CASE("trace: the resolved experiment names it with its digest, and runs to the same bytes",
          "[cli][trace]") {
    const Traced traced;
    (void)traced.pods();
    const std::string pods = traced.read("out/pods.csv");
    const std::string resolved = traced.read("out/experiment.yaml");
    CHECK(resolved.find("file: " + traced.absolute("data/pods.csv")) != std::string::npos);
    CHECK(resolved.find("file: " + traced.absolute("data/nodes.csv")) != std::string::npos);
    (void)done(traced, {"run", "out/experiment.yaml", "-o", "again", "--quiet"});
    CHECK(traced.read("again/pods.csv") == pods);
    CHECK(traced.read("again/manifest.json") == traced.read("out/manifest.json"));

    traced.write("data/pods.csv", trace + "more,1,1,0,0,,,,,,\n");
    const Answer answer = traced.berth({"run", "out/experiment.yaml", "-o", "third"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line().find(traced.absolute("data/pods.csv") + " has another sha256, ") !=
          std::string::npos);
    CHECK_FALSE(std::filesystem::exists(traced.path() / "third"));
}

TEST_CASE("trace: a wrong row ends the run before it begins", "[cli][trace][bad-input]") {
    const Traced traced(replaced(trace, "half,1000", "half,many"));
    const std::vector<std::string> before = traced.listing();
    const Answer answer = traced.run();
    CHECK(answer.status == 2);
    CHECK(answer.first_line().starts_with(traced.absolute("data/pods.csv") + ":3:6: error: "));
    CHECK(traced.listing() == before);
}

TEST_CASE("trace: read leniently, wrong rows are counted", "[cli][trace]") {
    const Traced traced(replaced(trace, "half,1000", "half,many"));
    const Answer answer = traced.run(set("trace.lenient=true"));
    CHECK(answer.status == 0);
    CHECK(answer.err.find("warning: wrong rows that were skipped: 1; the first: " +
                          traced.absolute("data/pods.csv") + ":3:6: error: ") != std::string::npos);
    CHECK(by_name(csv_rows(traced.read("out/pods.csv"))).count("half") == 0);
    CHECK(csv_rows(traced.read("out/replications.csv")).at(0).at("trace_rows_skipped") == "1");
    // The metric is absent if every row must be right.
    (void)Traced().pods();
    const Traced sound;
    (void)sound.pods();
    CHECK(csv_rows(sound.read("out/replications.csv")).at(0).count("trace_rows_skipped") == 0);
}

TEST_CASE("trace: invented levels are filled in the order of the nodes", "[cli][trace]") {
    const Traced traced;
    traced.write(
        "experiment.yaml",
        replaced(experiment,
                 "nodes.csv}",
                 "nodes.csv, levels: [{name: rack, servers: 2}, {name: room, racks: 1}]}"));
    (void)traced.pods();
    std::string places;
    for (const CsvRow& row : csv_rows(traced.read("out/nodes.csv"))) {
        places += row.at("node") + "=" + row.at("room") + "/" + row.at("rack") + " ";
    }
    CHECK(places == "green-0=room-0/rack-0 blue-0=room-0/rack-0 blue-1=room-1/rack-1 ");
}

TEST_CASE("trace: typical pods are the trace's, or those of the file that is named",
          "[cli][trace]") {
    const Traced traced;
    traced.write("data/other.csv", header + "a,1000,1,1,1000,,,,,,\n");
    const Arguments by_fragmentation{
        "--set", "spec.scheduler={profile: {score: [fragmentation-gradient-descent]}}"};
    const auto fragments = [&](const Arguments& more) {
        (void)traced.pods(as_it_stands + more);
        return csv_rows(traced.read("out/replications.csv")).at(0).at("frag_pct_of_total");
    };
    const std::string own = fragments(by_fragmentation);
    CHECK(own == fragments({"--set",
                            "spec.scheduler={profile: {score: [fragmentation-gradient-descent]}, "
                            "typicalPods: {format: openb, file: data/pods.csv}}"}));
    CHECK(own != fragments({"--set",
                            "spec.scheduler={profile: {score: [fragmentation-gradient-descent]}, "
                            "typicalPods: {format: openb, file: data/other.csv}}"}));
}

TEST_CASE("trace: what a source cannot be is refused where it is said", "[cli][trace][bad-input]") {
    const Traced traced;
    struct Wrong {
        std::string instead_of;
        std::string put;
        std::string message;
    };
    const std::string cluster_without_gpus =
        "{spec: {machineTypes: {plain: {capacity: {cpu: 4}}}, machines: [{type: plain}], levels: "
        "[{name: server, count: 1}]}}";
    for (const Wrong& wrong : std::vector<Wrong>{
             {"pods.csv}",
              "pods.csv, ordre: file}",
              "6:51: error: unknown key 'ordre' in trace: expected format, file, sha256, lenient, "
              "arrival, columns, speeds, name, order, times, zero, quota, gangs, limit or "
              "checkpoint (did you mean 'order'?)"},
             {"format: openb, file: data/pods.csv}",
              "file: data/pods.csv}",
              "6:14: error: no 'format' beside the file: expected format: openb, since its header "
              "has cpu_milli and num_gpu, or another"},
             {"format: openb, file: data/pods.csv}",
              "format: openb}",
              "6:14: error: trace has no 'file': expected one"},
             {"data/pods.csv}",
              "data/pod.csv}",
              "6:36: error: data/pod.csv cannot be read (No such file or directory): expected a "
              "readable file"},
             {"data/pods.csv}",
              "'-'}",
              "6:36: error: found '-': expected the name of a file, since it is read more than "
              "once"},
             {"data/pods.csv}",
              "data/pods.csv, order: file, times: recorded}",
              "6:71: error: found 'recorded': expected ignore, since the order of the file is not "
              "that of time"},
             {"pods.csv}",
              "pods.csv}\n      shuffle: true",
              "7:16: error: shuffle has no effect on jobs that arrive by time: expected order: "
              "file in trace"},
             {"pods.csv}",
              "pods.csv, times: ignore}\n      rate: 2",
              "7:13: error: rate has no effect where times are ignored: expected times: recorded "
              "in trace"},
             {"pods.csv}",
              "pods.csv}\n      rate: 0",
              "7:13: error: found '0': expected a number above 0"},
             {"pods.csv}",
              "pods.csv}\n      sample: 1.5",
              "7:15: error: found '1.5': expected a number from 0 to 1"},
             {"pods.csv}",
              "pods.csv}\n      tune: {to: 0}",
              "7:18: error: found '0': expected a number such as 1.3, of thousandths, above 0 and "
              "at most 1000"},
             {"pods.csv}",
              "pods.csv}\n      inflate: {ratio: 0.5}",
              "7:24: error: found '0.5': expected a number from 1 to 1000000"},
             {"pods.csv}",
              "pods.csv}\n      pods: []",
              "7:7: error: unknown key 'pods' in a workload source with a trace: expected trace, "
              "sample, bootstrap, shuffle, tune, inflate, rate or durations"},
             {"{nodes: {format: openb, file: data/nodes.csv}}",
              cluster_without_gpus,
              "6:36: error: its jobs ask for GPUs, and no server has any: expected a topology with "
              "nvidia.com/gpu"},
             {"data/nodes.csv}",
              "data/nodes.csv, levels: [{name: rack, server: 2}]}",
              "4:81: error: unknown key 'server' in a level of nodes: expected name or servers "
              "(did you mean 'servers'?)"},
             {"  workload:",
              "  scheduler: {typicalPods: {threshold: 2}}\n  workload:",
              "5:40: error: found '2': expected hundredths such as 0.95, above 0 and at most 1"},
             {"  workload:",
              "  scheduler: {profile: {reserve: [first-fit]}, typicalPods: {threshold: 0.9}}\n"
              "  workload:",
              "5:61: error: typicalPods has no effect where GPUs are not shared: expected reserve: "
              "[gpu-sharing]"}}) {
        CAPTURE(wrong.put);
        traced.write("experiment.yaml", replaced(experiment, wrong.instead_of, wrong.put));
        const std::vector<std::string> before = traced.listing();
        const Answer answer = traced.run();
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err, Catch::Contains("experiment.yaml:" + wrong.message + "\n"));
        CHECK(traced.listing() == before);
    }
}

TEST_CASE("trace: a file without jobs is no workload", "[cli][trace][bad-input]") {
    const Answer answer = Traced(header).run();
    CHECK(answer.status == 2);
    CHECK(answer.first_line().find("has no jobs: expected some") != std::string::npos);
}

TEST_CASE("trace: a workload lists its jobs like any other's", "[cli][trace]") {
    const Traced traced;
    const auto rows = csv_rows(done(traced, {"workload", "experiment.yaml", "--format", "csv"}));
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("job") == "half");
    CHECK(rows[0].at("duration_s") == "45");
    CHECK(rows[0].at("nvidia.com/gpu") == "500m");
    CHECK(rows[2].at("duration_s").empty());
}

TEST_CASE("trace: a workload by itself may have one, without a cluster", "[cli][trace]") {
    const Traced traced;
    traced.write(
        "workload.yaml",
        "kind: Workload\nspec: {sources: [{trace: {format: openb, file: data/pods.csv}}]}\n");
    const auto rows = csv_rows(done(traced, {"workload", "workload.yaml", "--format", "csv"}));
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].at("nvidia.com/gpu") == "1");
}

TEST_CASE("trace: an allocator of devices serves shares, but not by model", "[cli][trace]") {
    const Traced traced;
    const Arguments reserve{"--set", "spec.scheduler={profile: {reserve: [device-allocator]}}"};
    const Answer answer = traced.run(reserve);
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: trace asks for models of GPUs, which only reserve: "
                               "[gpu-sharing] considers\n"));
    const auto pods = by_name(csv_rows(traced.read("out/pods.csv")));
    CHECK(pods.at("half").at("devices") == "0");
    CHECK(pods.at("half").at("demand") == "cpu=1 memory=1073741824 nvidia.com/gpu=0.5");

    const Answer wrong = traced.run({"--set", "spec.scheduler={profile: {reserve: [first-fit]}}"});
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err,
               Catch::Contains("error: trace asks for shares of GPUs: expected reserve: "
                               "[gpu-sharing] or [device-allocator], not [first-fit]\n"));
}

TEST_CASE("trace: jobs belong to the quotas that their queues name", "[cli][trace]") {
    const Traced traced;
    traced.write("experiment.yaml", replaced(experiment, "  workload:", R"(  quotas:
    - objects:
        - kind: ElasticQuota
          metadata: {name: company}
          spec: {max: {nvidia.com/gpu: 6}, min: {nvidia.com/gpu: 6}}
  workload:)"));
    const auto pods = by_name(traced.pods());  // the format has no queues
    CHECK(pods.at("half").at("quota") == "koordinator-default-quota");
}
