#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string machine = R"(    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: hgx}]
      machineTypes:
        hgx:
          capacity: {cpu: 64}
          devices:
            gpu:
              {count: 8, model: H100, numa: [0, 0, 0, 0, 1, 1, 1, 1],
               pcie: [0, 0, 1, 1, 2, 2, 3, 3], nvlink: [[0, 1, 2, 3], [4, 5, 6, 7]]}
            rdma: {count: 4, numa: [0, 0, 1, 1], pcie: [0, 1, 2, 3]}
)";

/// Pods that come one after the other, on one machine.
const std::string few = R"(kind: Experiment
metadata: {name: few}
spec:
  topology:
)" + machine + R"(  types:
    none: {cpu: 1}
    one: {cpu: 1, nvidia.com/gpu: 1}
    two: {cpu: 1, nvidia.com/gpu: 2}
    four: {cpu: 1, nvidia.com/gpu: 4}
    ten: {cpu: 1, nvidia.com/gpu: 10}
    near: {cpu: 1, nvidia.com/gpu: 1, koordinator.sh/rdma: 50}
    nic: {cpu: 1, koordinator.sh/rdma: 200}
  workload:
    - pods:
        - {name: a, type: two, at: 0s, lifetime: 1m}
        - {name: b, type: one, at: 1s, lifetime: 1m}
        - {name: c, type: four, at: 2s, lifetime: 2m}
        - {name: d, type: near, at: 3s, lifetime: 1m}
        - {name: e, type: nic, at: 4s, lifetime: 1m}
        - {name: f, type: none, at: 5s, lifetime: 1m}
        - {name: g, type: ten, at: 6s, lifetime: 1m}
        - {name: h, type: four, at: 7s, lifetime: 1m}
  scheduler: {profile: {reserve: [first-fit]}}
  record: {sampleEvery: 30s}
)";

/// Many random pods, in several replications.
const std::string many = R"(kind: Experiment
metadata: {name: many}
spec:
  replications: 4
  topology:
)" + machine + R"(  types:
    one: {cpu: 1, nvidia.com/gpu: 1}
    two: {cpu: 1, nvidia.com/gpu: 2, koordinator.sh/rdma: 100}
    four: {cpu: 1, nvidia.com/gpu: 4}
  workload:
    - background: {load: 0.1, full: 0, idle: 0.1, variation: 1}
    - generate:
        name: job
        arrivals: {distribution: exponential, mean: 40s}
        until: 2h
        service: {distribution: exponential, mean: 2m}
        mix: [{type: one, name: one}, {type: two, name: two}, {type: four, name: four}]
    - groups:
        - document:
            kind: GroupPlacement
            spec: {group: {name: gang, size: 3, minAvailable: 2, type: two}}
          at: 10m
          lifetime: 10m
          resize: [{at: 15m, size: 1}]
  scheduler: {profile: {reserve: [group-allocator]}}
  failures:
    events:
      - {at: 30m, node: server-0, event: fail}
      - {at: 40m, node: server-0, event: repair}
  record: {sampleEvery: 10m}
)";

const std::set<std::string> same_files{"summary.json",
                                       "timeseries.csv",
                                       "censored.csv",
                                       "jobs.csv",
                                       "groups.csv",
                                       "pods.csv",
                                       "nodes.csv",
                                       "devices.csv",
                                       "replications.csv",
                                       "experiment.yaml"};

std::map<std::string, CsvRow> pods_of(const Folder& folder, const std::string& run) {
    std::map<std::string, CsvRow> pods;
    for (const CsvRow& pod : csv_rows(folder.read(run + "/pods.csv"))) {
        pods[pod.at("pod")] = pod;
    }
    return pods;
}

/// The columns about devices, unchanged.
std::string device_columns(const CsvRow& pod) {
    std::string out;
    for (const std::string column : {"devices",
                                     "nics",
                                     "scope",
                                     "scope_attainable",
                                     "nvlink",
                                     "nvlink_attainable",
                                     "nic_beside",
                                     "nic_beside_attainable",
                                     "locality_reason"}) {
        out += pod.at(column) + (column == "locality_reason" ? "" : " | ");
    }
    return out;
}

std::vector<int> numbers(const std::string& joined) {
    std::vector<int> out;
    std::stringstream text(joined);
    for (std::string number; std::getline(text, number, '-');) {
        out.push_back(std::stoi(number));
    }
    return out;
}

Arguments run_with(const std::string& reserve, const std::string& out) {
    return {"run",
            "few.yaml",
            "-o",
            out,
            "--quiet",
            "--set",
            "spec.scheduler.profile.reserve=" + reserve};
}

}  // namespace

TEST_CASE("devices: a small run's pods, row by row", "[cli][devices]") {
    const Folder folder;
    folder.write("few.yaml", few);
    (void)done(folder, {"run", "few.yaml", "-o", "r", "--quiet"});
    const auto pods = pods_of(folder, "r");
    const std::map<std::string, std::string> expected{
        {"a", "0-1 |  | pcie | pcie | true | true |  |  | "},
        {"b", "2 |  | pcie | pcie | true | true |  |  | "},
        {"c",
         "3-4-5-6 |  | machine | numa | false | true |  |  | a NUMA node had 4 GPUs free and was "
         "not chosen"},
        {"d",
         "7 | 0 | pcie | pcie | true | true | false | true | GPUs with free NICs beside them were "
         "not chosen"},
        {"e", " | 1-2 |  |  |  |  |  |  | "},
        {"f", " |  |  |  |  |  |  |  | "},
        {"g", " |  |  |  |  |  |  |  | "},
        // h comes when b and d are gone, and gets their GPUs and those of a: 0, 1, 2 and 7; c has
        // the others.
        {"h",
         "0-1-2-7 |  | machine | machine | false | false |  |  | no NUMA node had 4 GPUs free"},
    };
    REQUIRE(pods.size() == expected.size());
    for (const auto& [name, columns] : expected) {
        CAPTURE(name);
        CHECK(device_columns(pods.at(name)) == columns);
    }
    CHECK(pods.at("h").at("start_s") == "63");
    CHECK(pods.at("g").at("outcome") == "waiting");
    CHECK(pods.at("g").at("reason") == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
    CHECK(folder.read("r/nodes.csv") ==
          "node,cpu_capacity,cpu_background,nvidia.com/gpu_capacity,nvidia.com/gpu_background,"
          "rdma_capacity,rdma_background,machine_type\n"
          "server-0,64,0,8,0,4,0,hgx\n");
    CHECK(folder.read("r/devices.csv") == R"(machine_type,kind,index,model,numa,pcie,nvlink
hgx,gpu,0,H100,0,0,0
hgx,gpu,1,H100,0,0,0
hgx,gpu,2,H100,0,1,0
hgx,gpu,3,H100,0,1,0
hgx,gpu,4,H100,1,2,1
hgx,gpu,5,H100,1,2,1
hgx,gpu,6,H100,1,3,1
hgx,gpu,7,H100,1,3,1
hgx,rdma,0,,0,0,
hgx,rdma,1,,0,1,
hgx,rdma,2,,1,2,
hgx,rdma,3,,1,3,
)");
}

TEST_CASE("devices: a small run's metrics and samples, by hand", "[cli][devices]") {
    const Folder folder;
    folder.write("few.yaml", few);
    (void)done(folder, {"run", "few.yaml", "-o", "r", "--quiet"});
    const auto summary = nlohmann::json::parse(folder.read("r/summary.json"));
    const auto& metrics = summary.at("metrics");
    const std::map<std::string, double> expected{
        {"pods_with_devices_together", 4},  // a, c, d and h
        {"same_pcie", 2.0 / 4},
        {"same_pcie_attainable", 2.0 / 4},
        {"same_nvlink", 2.0 / 4},
        {"same_nvlink_attainable", 3.0 / 4},
        {"same_numa", 2.0 / 4},
        {"same_numa_attainable", 3.0 / 4},
        {"nic_beside", 0},
        {"nic_beside_attainable", 1},
        {"same_numa_2_gpus", 1},
        {"same_numa_4_gpus", 0},
        {"same_numa_attainable_4_gpus", 0.5},
    };
    for (const auto& [name, value] : expected) {
        CAPTURE(name);
        CHECK(metrics.at(name).at("mean").get<double>() == Approx(value));
    }
    CHECK(metrics.contains("free_gpus_broken"));
    CHECK_FALSE(metrics.contains("same_numa_8_gpus"));  // no pod has 8 GPUs
    std::map<std::string, std::string> samples;
    for (const CsvRow& row : csv_rows(folder.read("r/timeseries.csv"))) {
        samples[row.at("time_s")] = row.at("gpus_free") + " " + row.at("gpus_free_broken") + " " +
                                    row.at("same_numa") + " " + row.at("same_numa_attainable");
    }
    CHECK(samples.at("0") == "6 2 1 1");
    CHECK(samples.at("30").starts_with("0 0 0.66"));
    CHECK(samples.at("90") == "0 0 0.5 0.75");
}

TEST_CASE("devices: each allocator gives as many as asked, each once", "[cli][devices]") {
    const std::string reserve = GENERATE("[first-fit]",
                                         "[device-allocator]",
                                         "[{name: device-allocator, rules: published}]",
                                         "[{name: device-allocator, solver: exact}]",
                                         "[group-allocator]",
                                         "[{name: group-allocator, rules: paper, solver: exact}]");
    CAPTURE(reserve);
    const Folder folder;
    folder.write("few.yaml", few);
    (void)done(folder, run_with(reserve, "r"));
    const auto pods = pods_of(folder, "r");
    const std::map<std::string, std::size_t> counts{
        {"a", 2}, {"b", 1}, {"c", 4}, {"d", 1}, {"e", 0}, {"f", 0}, {"g", 0}, {"h", 4}};
    std::set<int> given;  // GPUs of pods that run in the first minute
    for (const auto& [name, count] : counts) {
        CAPTURE(name);
        const CsvRow& pod = pods.at(name);
        const std::vector<int> gpus = numbers(pod.at("devices"));
        CHECK(gpus.size() == count);
        CHECK(std::ranges::is_sorted(gpus));
        CHECK((name == "d" ? 1U : name == "e" ? 2U : 0U) == numbers(pod.at("nics")).size());
        for (const int gpu : gpus) {
            CHECK((name == "h" || given.insert(gpu).second));
        }
    }
    CHECK(given.size() == 8);
    if (reserve == "[device-allocator]") {
        CHECK(pods.at("c").at("devices") == "4-5-6-7");
        CHECK(pods.at("c").at("scope") == "numa");
    }
    CHECK_THAT(folder.read("r/experiment.yaml"),
               Catch::Contains(reserve.find("group") != std::string::npos    ? "group-allocator"
                               : reserve.find("device") != std::string::npos ? "device-allocator"
                                                                             : "first-fit"));
}

TEST_CASE("devices: the same bytes at any number of threads, and again", "[cli][devices]") {
    const std::string reserve = GENERATE("first-fit", "device-allocator", "group-allocator");
    CAPTURE(reserve);
    const Folder folder;
    folder.write("many.yaml", replaced(many, "[group-allocator]", "[" + reserve + "]"));
    (void)done(folder, {"run", "many.yaml", "-o", "one", "-j1", "--quiet"});
    (void)done(folder, {"run", "many.yaml", "-o", "four", "-j4", "--quiet"});
    (void)done(folder, {"run", "one/experiment.yaml", "-o", "again", "-j2", "--quiet"});
    for (const std::string& file : same_files) {
        CAPTURE(file);
        CHECK_FALSE(folder.read("one/" + file).empty());
        CHECK(folder.read("four/" + file) == folder.read("one/" + file));
        CHECK(folder.read("again/" + file) == folder.read("one/" + file));
    }
    bool any = false;
    for (const CsvRow& pod : csv_rows(folder.read("one/pods.csv"))) {
        const std::size_t asked = pod.at("pod").starts_with("one")    ? 1
                                  : pod.at("pod").starts_with("four") ? 4
                                                                      : 2;
        const bool started = !pod.at("start_s").empty();
        CAPTURE(pod.at("pod"));
        CHECK(numbers(pod.at("devices")).size() == (started ? asked : 0));
        CHECK(numbers(pod.at("nics")).size() == (started && asked == 2 ? 1 : 0));
        any = any || (started && pod.at("group") == "gang");
    }
    CHECK(any);
    // Servers that are down have no free GPUs.
    for (const CsvRow& row : csv_rows(folder.read("one/timeseries.csv"))) {
        CHECK((row.at("time_s") != "1800" || row.at("gpus_free") == "0"));
    }
}

TEST_CASE("devices: a run without an allocator says nothing of them", "[cli][devices]") {
    const Folder folder;
    std::string plain = replaced(few, "{profile: {reserve: [first-fit]}}", "{profile: {}}");
    plain = replaced(plain, ", koordinator.sh/rdma: 50", "");
    plain = replaced(plain, ", koordinator.sh/rdma: 200", "");
    folder.write("plain.yaml", plain);
    (void)done(folder, {"run", "plain.yaml", "-o", "r", "--quiet"});
    for (const CsvRow& pod : csv_rows(folder.read("r/pods.csv"))) {
        CHECK(pod.at("devices").empty());
        CHECK_FALSE(pod.contains("nics"));
    }
    CHECK_THAT(folder.read("r/pods.csv"),
               Catch::Contains(",outcome,reason,demand,user,class,type,gpus\n"));
    CHECK_THAT(folder.read("r/nodes.csv"), !Catch::Contains("machine_type"));
    CHECK_THAT(folder.read("r/timeseries.csv"), !Catch::Contains("gpus_free"));
    CHECK_THAT(folder.read("r/summary.json"), !Catch::Contains("same_numa"));
    for (const std::string& file : folder.listing()) {
        CHECK(file != "r/devices.csv");
    }
}

TEST_CASE("devices: a fraction of a GPU is an amount where nobody allocates", "[cli][devices]") {
    const Folder folder;
    std::string plain = replaced(few, "{profile: {reserve: [first-fit]}}", "{profile: {}}");
    plain = replaced(plain, ", koordinator.sh/rdma: 50", "");
    plain = replaced(plain, ", koordinator.sh/rdma: 200", "");
    folder.write("plain.yaml", replaced(plain, "nvidia.com/gpu: 10", "nvidia.com/gpu: 500m"));
    (void)done(folder, {"run", "plain.yaml", "-o", "r", "--quiet"});
    CHECK(pods_of(folder, "r").at("g").at("outcome") == "finished");
}

TEST_CASE("devices: what asks for none is never refused for them", "[cli][devices]") {
    const std::string reserve = GENERATE("first-fit", "device-allocator", "group-allocator");
    CAPTURE(reserve);
    const Folder folder;
    std::string text = replaced(few,
                                "one: {cpu: 1, nvidia.com/gpu: 1}",
                                "one: {cpu: 1, nvidia.com/gpu: 0, koordinator.sh/rdma: 0}");
    text = replaced(text,
                    "none: {cpu: 1}",
                    "none: {cpu: 1, annotations: "
                    "{scheduling.koordinator.sh/device-allocate-hint: '{}'}}");
    folder.write("few.yaml", text);
    (void)done(folder, run_with("[" + reserve + "]", "r"));
    const auto pods = pods_of(folder, "r");
    for (const std::string name : {"b", "f"}) {
        CHECK(pods.at(name).at("outcome") == "finished");
        CHECK(pods.at(name).at("devices").empty());
        CHECK(pods.at(name).at("nics").empty());
    }
}

TEST_CASE("devices: machines that tell nothing of their inside", "[cli][devices]") {
    const std::string reserve = GENERATE("first-fit", "device-allocator", "group-allocator");
    CAPTURE(reserve);
    const Folder folder;
    const std::size_t at = few.find("            gpu:\n");
    std::string text = few;
    text.replace(at,
                 few.find("  types:") - at,
                 "            gpu: {count: 8}\n            rdma: {count: 4}\n");
    folder.write("few.yaml", text);
    (void)done(folder, run_with("[" + reserve + "]", "r"));
    for (const auto& [name, pod] : pods_of(folder, "r")) {
        CAPTURE(name);
        CHECK(pod.at("locality_reason").empty());
        CHECK((pod.at("devices").empty() || pod.at("scope") == "machine"));
    }
}

TEST_CASE("devices: more NICs than a machine has are waited for", "[cli][devices]") {
    const std::string reserve = GENERATE("first-fit", "device-allocator", "group-allocator");
    CAPTURE(reserve);
    const Folder folder;
    folder.write("few.yaml",
                 replaced(few, "koordinator.sh/rdma: 200", "koordinator.sh/rdma: 1000000000000"));
    (void)done(folder, run_with("[" + reserve + "]", "r"));
    const auto pods = pods_of(folder, "r");
    CHECK(pods.at("e").at("outcome") == "waiting");
    CHECK(pods.at("e").at("reason") ==
          "0/1 nodes are available: 1 node(s) didn't have the devices free together.");
}

TEST_CASE("devices: the allocator's name at score and filter", "[cli][devices]") {
    const Folder folder;
    folder.write("few.yaml", few);
    (void)done(folder,
               {"run",
                "few.yaml",
                "-o",
                "r",
                "--quiet",
                "--set",
                "spec.scheduler.profile.reserve=[device-allocator]",
                "--set",
                "spec.scheduler.profile.filter=[resources-fit, device-allocator]",
                "--set",
                "spec.scheduler.profile.score=[{name: device-allocator, weight: 3}]"});
    CHECK(pods_of(folder, "r").at("a").at("devices") == "0-1");
}

TEST_CASE("devices: who asks for more than a machine has is told so", "[cli][devices]") {
    const Folder folder;
    folder.write("few.yaml", few);
    const Answer answer = folder.berth({"validate", "few.yaml"});
    INFO(answer.err);
    CHECK(answer.status == 0);
}
