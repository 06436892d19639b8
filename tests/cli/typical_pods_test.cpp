// Typical pods of policies that decide by fragmentation, if `typicalPods` does not list them.

#include <string>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two servers with two GPUs each. Three in five pods ask for half a GPU, one for two GPUs, and one
/// for none.
std::string experiment_with(const std::string& workload, const std::string& scheduler = "") {
    return R"(kind: Experiment
metadata: {name: typical}
spec:
  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: one}],
    machineTypes: {one: {capacity: {cpu: 64, nvidia.com/gpu: 2}}}}}
  types: {half: {cpu: 2, nvidia.com/gpu: 500m}, whole: {cpu: 4, nvidia.com/gpu: 2}, none: {cpu: 1}}
  workload:
)" + workload +
           "  scheduler: {profile: {score: [fragmentation-gradient-descent]}" + scheduler + "}\n";
}

const std::string list = R"(    - pods:
        - {name: half, type: half, count: 30, at: 10s, lifetime: 1s}
        - {name: whole, type: whole, count: 10, at: 20s, lifetime: 1s}
        - {name: none, type: none, count: 10, at: 30s, lifetime: 1s}
)";
const std::string mix = R"(    - generate:
        arrivals: {distribution: constant, value: 1s}
        service: {distribution: constant, value: 1s}
        mix: [{type: half, weight: 3}, {type: whole, weight: 1}, {type: none, weight: 1}]
        count: 8
)";
const std::string trace = "    - trace: {format: csv, file: trace.csv}\n";
const std::string trace_file =
    "name,submit,run_time,cpu,gpus\na,0,1,1,0\nb,5,1,2,0.5\nc,6,1,2,0.5\nd,7,1,2,0.5\ne,8,1,4,2\n";

/// The fragmentation in a run's time series at its first sample.
std::string fragments(const Folder& folder) {
    return csv_rows(folder.read("out/typical/timeseries.csv")).front().at("frag_gpu_milli");
}

}  // namespace

TEST_CASE("typical pods: they come from the workload, and a line says so", "[cli][typical-pods]") {
    const std::string workload = GENERATE_COPY(list, mix, trace);
    const Folder folder;
    folder.write("trace.csv", trace_file);
    const std::string text = experiment_with(workload) + "  record: {sampleEvery: 1s}\n";
    folder.write("typical.yaml", text);
    const Answer answer = folder.berth({"run", "typical.yaml", "--quiet"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: fragmentation-gradient-descent takes the typical pods "
                               "from the workload: 3 kinds of pods"));
    // For pods that ask for no GPU, idle GPUs count as fragmented: a fifth of 4000 thousandths.
    CHECK(fragments(folder) == "800");

    // If the experiment states `typicalPods`, there is no message.
    folder.write("typical.yaml",
                 experiment_with(workload, ", typicalPods: {}") + "  record: {sampleEvery: 1s}\n");
    CHECK(folder.berth({"run", "typical.yaml", "--quiet"}).err.empty());
}

TEST_CASE("typical pods: a workload without pods has none", "[cli][typical-pods]") {
    const Folder folder;
    folder.write("typical.yaml", experiment_with("    - background: {load: 0.5}\n"));
    const Answer answer = folder.berth({"run", "typical.yaml", "--quiet"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "typical.yaml:9:14: error: fragmentation-gradient-descent needs typical pods, and the "
          "workload has no pods: expected typicalPods: {format: ..., file: ...} in the scheduler");
}

TEST_CASE("typical pods: a file that the workload holds in memory is not another for that",
          "[cli][typical-pods]") {
    const std::string pods =
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
        "deletion_time,scheduled_time\n"
        "a,1000,1,0,0,,LS,Running,0,9,1\nb,2000,1,1,500,,LS,Pending,1,,\n"
        "c,2000,1,1,500,,LS,Running,2,9,3\nd,4000,1,2,1000,,LS,Running,3,9,4\n";
    const Folder folder;
    folder.write("pods.csv", pods);
    folder.write("copy.csv", pods);
    const std::string times = GENERATE("order: file, times: ignore", "times: recorded");
    const std::string workload =
        "    - trace: {format: openb, file: pods.csv, " + times + "}\n      inflate: {ratio: 2}\n";
    std::string first;
    for (const std::string file : {"copy.csv", "pods.csv"}) {
        folder.write(
            "typical.yaml",
            experiment_with(workload, ", typicalPods: {format: openb, file: " + file + "}") +
                "  record: {sampleEvery: arrival}\n");
        (void)folder.berth({"run", "typical.yaml", "--quiet"});
        const std::string series = folder.read("out/typical/timeseries.csv");
        first = first.empty() ? series : first;
        CHECK(series == first);
    }
    CHECK(csv_rows(first).size() > 2);
}
