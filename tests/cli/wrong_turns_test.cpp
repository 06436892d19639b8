// Small mistakes in a first experiment: each is refused or reported, with what to write instead.

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"
#include "gpu_experiment.hpp"

using namespace berth::tests;

namespace {

std::string expecting(const std::string& metric) {
    return gpu_experiment + "  expect: {\"" + metric + "\": {min: 0}}\n";
}

}  // namespace

TEST_CASE("wrong turns: metrics that an experiment will not have are refused before it runs",
          "[cli][wrong-turns][expect]") {
    CHECK_THAT(
        refusal_of(expecting("wait_s_men")),
        Catch::Contains(": error: unknown metric 'wait_s_men': expected one of this run's ") &&
            Catch::EndsWith("(did you mean 'wait_s_mean'?)"));
    CHECK_THAT(refusal_of(expecting("frag_pct_of_total")), Catch::Contains("unknown metric"));
    CHECK_THAT(refusal_of(expecting("quota/team/wait_s_mean")), Catch::Contains("unknown metric"));
    CHECK_THAT(refusal_of(expecting("job_wait_s_p95[carl]")), Catch::Contains("unknown metric"));
    CHECK_THAT(refusal_of(expecting("wait_s_p95[ann]")), Catch::Contains("unknown metric"));
    CHECK_THAT(refusal_of(gpu_experiment + "  claims: [{metric: wait_s_men, expected: [0, 1]}]\n"),
               Catch::StartsWith("x.yaml:19:21: error: unknown metric 'wait_s_men'"));
    for (const char* metric : {"wait_s_mean",
                               "rack_nvidia.com/gpu_utilization_max",
                               "gpu_time_idle_split",
                               "job_wait_s_p95[ann]",
                               "job_wait_s_p95[gpus=2-4]"}) {
        CAPTURE(metric);
        const Folder folder;
        folder.write("x.yaml", expecting(metric));
        CHECK(folder.berth({"validate", "x.yaml"}).err.empty());
        // The run has the metric that the validation promises.
        CHECK(folder.berth({"run", "x.yaml", "--quiet"}).status == 0);
    }
}

TEST_CASE("wrong turns: a metric that some point of a sweep lacks is refused before the first runs",
          "[cli][wrong-turns][expect]") {
    const Folder folder;
    folder.write("x.yaml", expecting("wait_s_men"));
    folder.write("s.yaml",
                 "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: x.yaml}\n"
                 "  axes: [{name: seed0, path: spec.seed, values: [1, 2]}]\n");
    for (const char* command : {"validate", "sweep"}) {
        const Answer answer = folder.berth({command, "s.yaml"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(), Catch::Contains("unknown metric 'wait_s_men'"));
    }
    CHECK(folder.listing() == std::vector<std::string>{"s.yaml", "x.yaml"});
}

TEST_CASE("wrong turns: shared GPUs without typical pods have no columns of fragments",
          "[cli][wrong-turns]") {
    const auto header_of = [](const std::string& workload) {
        const Folder folder;
        folder.write("x.yaml",
                     "kind: Experiment\nmetadata: {name: shared}\nspec:\n"
                     "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: "
                     "a}], machineTypes: {a: {capacity: {cpu: 64, nvidia.com/gpu: 8}}}}}\n"
                     "  types: {one: {cpu: 1, nvidia.com/gpu: 1}}\n"
                     "  workload: " +
                         workload +
                         "\n  scheduler: {profile: {reserve: [gpu-sharing]}}\n"
                         "  record: {sampleEvery: 1m}\n  until: 2m\n");
        (void)done(folder, {"run", "x.yaml", "--quiet"});
        const std::string text = folder.read("out/shared/timeseries.csv");
        return text.substr(0, text.find('\n'));
    };
    CHECK_THAT(header_of("[{pods: [{type: one}]}]"), Catch::Contains("frag_gpu_milli"));
    CHECK_THAT(header_of("[{background: {load: 0.1}}]"),
               Catch::Contains("gpu_allocated_milli") && !Catch::Contains("frag_gpu_milli") &&
                   !Catch::Contains("q3_satisfied"));
}

TEST_CASE("wrong turns: a quota in an experiment without quotas limits nothing, and is said",
          "[cli][wrong-turns][quota]") {
    CHECK_THAT(
        warning_of(replaced(gpu_experiment, "user: ann", "quota: ann")),
        Catch::Contains("x.yaml:15:45: warning: quota 'ann' limits nothing, as the experiment "
                        "has no quotas: expected it in spec.quotas, or user or class instead to "
                        "label jobs"));
}

TEST_CASE("wrong turns: an entry of groups names what it may have", "[cli][wrong-turns]") {
    const std::string sound = gpu_experiment +
                              "    - groups: [{document: {spec: {group: {name: g, size: 2, type: "
                              "one}}}}]\n";
    CHECK(warning_of(sound).empty());
    CHECK_THAT(
        refusal_of(replaced(sound,
                            "{document: {spec: {group: {name: g, size: 2, type: one}}}}",
                            "{spec: {group: {name: g, size: 2, type: one}}}")),
        Catch::EndsWith(": error: an entry of groups has a spec without a document around it: "
                        "expected file: with the name of a GroupPlacement's file, or "
                        "document: {spec: {group: ...}}"));
    CHECK_THAT(
        refusal_of(replaced(
            sound, "{document: {spec: {group: {name: g, size: 2, type: one}}}}", "{at: 0s}")),
        Catch::Contains("an entry of groups has neither file nor document: expected file:"));
}

TEST_CASE("wrong turns: one place of a sweep by two spellings is set once",
          "[cli][wrong-turns][sweep]") {
    const auto answer_of =
        [](const std::string& first, const std::string& second, const Arguments& more = {}) {
            const Folder folder;
            folder.write("x.yaml", gpu_experiment);
            folder.write("s.yaml",
                         "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: x.yaml}\n"
                         "  axes:\n    - {name: a, path: " +
                             first + ", values: [4, 5]}\n    - {name: b, path: " + second +
                             ", values: [6, 7]}\n");
            Arguments arguments{"sweep", "s.yaml", "--dry-run"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Answer answer = folder.berth(arguments);
            return answer.status == 0 ? std::string() : answer.first_line();
        };
    const std::string by_name = "spec.topology.spec.levels[rack].count";
    CHECK(answer_of(by_name, "spec.topology.spec.levels[server].count").empty());
    CHECK_THAT(answer_of(by_name, "spec.topology.spec.levels[0].count"),
               Catch::StartsWith("s.yaml:7:23: error: the axis 'a' sets "
                                 "spec.topology.spec.levels[0].count too: expected it to be set "
                                 "once"));
    CHECK_THAT(answer_of(by_name, "spec.topology.spec.levels[0]"),
               Catch::Contains(
                   "the axis 'a' sets spec.topology.spec.levels[0].count, which is inside "
                   "spec.topology.spec.levels[0], and that replaces it: expected paths of which "
                   "none is inside another"));
}

TEST_CASE("wrong turns: a group in a mix is addressed by its name", "[cli][wrong-turns]") {
    const Folder folder;
    folder.write("x.yaml", gpu_experiment);
    for (const char* path : {"spec.workload[generate].generate.mix[gang].weight",
                             "spec.workload[0].generate.mix[gang].group.spec.group.size"}) {
        CAPTURE(path);
        const Answer answer =
            folder.berth({"run", "x.yaml", "--quiet", "--set", std::string(path) + "=3"});
        CHECK(answer.status == 0);
        CHECK(answer.err.empty());
        CHECK_THAT(folder.read("out/gpus/experiment.yaml"), Catch::Contains(": 3"));
    }
    folder.write("s.yaml",
                 "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: x.yaml}\n"
                 "  axes: [{name: w, path: 'spec.workload[0].generate.mix[gang].weight', values: "
                 "[1, 2]}]\n");
    CHECK(folder.berth({"validate", "s.yaml"}).status == 0);
}

TEST_CASE("wrong turns: shares of GPUs that nothing shares are said to be amounts",
          "[cli][wrong-turns]") {
    const std::string half =
        replaced(gpu_experiment, "nvidia.com/gpu: 1}", "nvidia.com/gpu: 500m}");
    CHECK_THAT(
        warning_of(half),
        Catch::Contains("x.yaml:7:35: warning: type 'one' asks for a share of a GPU, but no "
                        "plug-in shares GPUs: leftovers of several GPUs are added up as if they "
                        "were one GPU: expected reserve: [gpu-sharing] in the profile"));
    CHECK(warning_of(half + "  scheduler: {profile: {reserve: [gpu-sharing]}}\n").empty());
}

TEST_CASE("wrong turns: a list where a map belongs is told what the map looks like",
          "[cli][wrong-turns]") {
    CHECK_THAT(refusal_of(gpu_experiment + "  failures: [{at: 1h, node: server-0}]\n"),
               Catch::EndsWith("found a list: expected a map such as {events: [{at: 1h, node: "
                               "server-0, event: fail}]}"));
    CHECK_THAT(refusal_of(gpu_experiment + "  record: [placements]\n"),
               Catch::EndsWith("record is a list: expected a map of keys and values"));
}

TEST_CASE("wrong turns: a folder of runs is said to be one by every command",
          "[cli][wrong-turns]") {
    const Folder folder;
    folder.write("x.yaml", gpu_experiment);
    (void)done(folder, {"run", "x.yaml", "--quiet"});
    for (const Arguments& arguments : {Arguments{"verify", "out"},
                                       Arguments{"why", "out", "small-1"},
                                       Arguments{"report", "out"},
                                       Arguments{"compare", "out", "out/gpus"},
                                       Arguments{"plot", "out", "--figure", "cdf", "-o", "a.svg"},
                                       Arguments{"export", "out", "--batsim", "-o", "b"}}) {
        CAPTURE(arguments.front());
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(),
                   Catch::EndsWith("out: error: this is a folder of 1 runs: expected one or more "
                                   "of them by name, such as out/gpus"));
    }
}

TEST_CASE("wrong turns: compare says that different builds made the runs", "[cli][wrong-turns]") {
    const Folder folder;
    folder.write("x.yaml", gpu_experiment);
    (void)done(folder, {"run", "x.yaml", "--quiet", "-o", "a"});
    (void)done(folder, {"run", "x.yaml", "--quiet", "-o", "b"});
    const Arguments compare{"compare", "a", "b"};
    CHECK(done(folder, compare).find("different builds") == std::string::npos);
    const std::string manifest = folder.read("b/manifest.json");
    const auto sources = nlohmann::json::parse(manifest).at("sources").get<std::string>();
    folder.write("b/manifest.json", replaced(manifest, sources, "0123456789abcdef"));
    const std::string said = "different builds of berth made them, ";
    CHECK_THAT(done(folder, compare), Catch::Contains("note: " + said));
    CHECK_THAT(done(folder, {"compare", "a", "b", "-o", "c.json"}), Catch::Equals(""));
    CHECK_THAT(folder.read("c.json"), Catch::Contains(said));
    CHECK_THAT(folder.berth({"compare", "a", "b", "-o", "c.csv"}).err,
               Catch::Contains("b: warning: " + said));
}

TEST_CASE("wrong turns: a workload's statistics have units that a person reads",
          "[cli][wrong-turns]") {
    const Folder folder;
    folder.write("x.yaml",
                 replaced(gpu_experiment, "one: {cpu: 4,", "one: {cpu: 4, memory: 64Gi,"));
    const std::string out = done(folder, {"workload", "x.yaml", "--stats"});
    CAPTURE(out);
    CHECK_THAT(out, Catch::Matches("[^]*submitted       [0-9.]+ min to [0-9.]+ min\n[^]*"));
    CHECK((out.find(" Gi in all") != std::string::npos ||
           out.find(" Ti in all") != std::string::npos));
    CHECK(out.find("e+") == std::string::npos);
}

TEST_CASE("wrong turns: the queue of a job is its quota", "[cli][wrong-turns]") {
    const Folder folder;
    folder.write("x.yaml",
                 replaced(gpu_experiment, "user: ann", "quota: team") +
                     "  quotas: [{objects: [{kind: ElasticQuota, metadata: {name: team}, spec: "
                     "{max: {nvidia.com/gpu: 8}}}]}]\n");
    (void)done(folder, {"run", "x.yaml", "--quiet"});
    const auto rows = csv_rows(folder.read("out/gpus/jobs.csv"));
    REQUIRE(rows.size() == 20);
    for (const auto& row : rows) {
        CHECK(row.at("queue") == row.at("quota"));
        CHECK(row.at("queue") ==
              (row.at("job").starts_with("small") ? "team" : "koordinator-default-quota"));
    }
}

TEST_CASE("wrong turns: what was meant is named in one line", "[cli][wrong-turns]") {
    struct Row {
        std::string what;
        std::string instead_of;
        std::string put;
        std::string message;  ///< Text after `error: `, compared from its beginning.
    };
    const std::vector<Row> rows{
        {"a list for a distribution",
         "{distribution: exponential, mean: 1m}",
         "[1m]",
         "found a list: expected a duration such as 5m, {mean: 5m}, or a distribution such as "},
        {"a number without a unit for a distribution",
         "{distribution: exponential, mean: 1m}",
         "60",
         "found '60': expected a duration"},
        {"a Poisson process",
         "{distribution: exponential, mean: 1m}",
         "{distribution: poisson, mean: 1m}",
         "found 'poisson': expected exponential, since times between arrivals of a Poisson "
         "process "},
        {"a score plug-in outside the profile",
         "  workload:",
         "  scheduler: {score: [best-fit]}\n  workload:",
         "'score' in scheduler: expected profile: {score: ...} in it"},
        {"a policy",
         "  workload:",
         "  scheduler: {policy: best-fit}\n  workload:",
         "'policy' in scheduler: expected profile: {score: [...]}, or queueSort for the order of "},
        {"a score plug-in twice",
         "  workload:",
         "  scheduler: {profile: {score: [best-fit, best-fit]}}\n  workload:",
         "score plug-in 'best-fit' a second time: expected it once, with its weight"},
        {"a group without its spec",
         "{spec: {group: {name: gang, size: 2, type: two}}}",
         "{name: gang, size: 2, type: two}",
         "a GroupPlacement has no 'spec': expected spec: {group: {name: ..., size: ..., type: "},
        {"amounts for a type",
         "type: one,",
         "type: {cpu: 4},",
         "found a map: expected the name of a type, whose amounts stand in spec.types"},
        {"a file for a trace",
         "    - generate:",
         "    - trace: jobs.csv\n    - generate:",
         "found 'jobs.csv': expected a trace such as {format: csv, file: jobs.csv}"},
        {"levels without a spec",
         "topology: {spec: {levels: [{name: rack, count: 2}, {name: server, count: 3}],",
         "topology: {nodes: {}, levels: [], spec: {levels: [{name: server, count: 3}],",
         "'levels' in topology: expected spec: {levels: ..., machines: ..., machineTypes: ...}"},
        {"less than no time",
         "count: 20",
         "until: -2h30m",
         "found '-2h30m': expected a duration that is not negative, such as 10ms, 10s, 5m, 24h or "
         "7d"},
        {"less than no time, without a unit",
         "count: 20",
         "until: -5",
         "found '-5': expected a duration that is not negative, such as 10ms, 10s, 5m, 24h or 7d"},
        {"what is no time with a minus",
         "count: 20",
         "until: -soon",
         "found '-soon': expected a duration such as 10ms, 10s, 5m, 24h or 7d"},
        {"a warm-up of less than no time",
         "  workload:",
         "  record: {warmUp: -1h}\n  workload:",
         "found '-1h': expected auto, or a duration that is not negative, such as 10ms, "},
        {"a window from less than no time",
         "  workload:",
         "  record: {from: -1h}\n  workload:",
         "found '-1h': expected a duration that is not negative, such as 10ms, "},
        {"samples at less than no time",
         "  workload:",
         "  record: {sampleEvery: -1h}\n  workload:",
         "found '-1h': expected arrival, or a duration that is not negative, such as 10ms, "},
        {"a fraction of a nanosecond",
         "count: 20",
         "until: 0.5ns",
         "found '0.5ns': expected a duration of whole nanoseconds, the shortest of which is 1ns"},
        {"centuries with a fraction",
         "count: 20",
         "until: 106752.5d",
         "found '106752.5d': expected a duration of at most 106751d, which is 292 years"},
        {"a week",
         "count: 20",
         "until: 2w",
         "found '2w': expected a duration such as 10ms, 10s, "
         "5m, 24h or 7d (did you mean 14d?)"},
        {"capital hours",
         "count: 20",
         "until: 24H",
         "found '24H': expected a duration such as 10ms, 10s, 5m, 24h or 7d (did you mean 24h?)"},
        {"a clock",
         "count: 20",
         "until: '36:30:00'",
         "found '36:30:00': expected a duration such as 10ms, 10s, 5m, 24h or 7d (did you mean "
         "36h30m00s?)"},
        {"another case",
         "type: one,",
         "type: ONE,",
         "unknown type 'ONE': expected one or two (did you mean 'one'?)"},
        {"Kueue's queue for a quota",
         "  workload:",
         "  quotas: [{objects: [{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue}]}]\n  "
         "workload:",
         "ClusterQueue of kueue.x-k8s.io is not supported yet: expected "},
        {"a quota without its kind",
         "  workload:",
         "  quotas: [{objects: [{name: team}]}]\n  workload:",
         "found a map: expected an object such as {kind: ElasticQuota, metadata: {name: team-a}, "},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Folder folder;
        folder.write("x.yaml", replaced(gpu_experiment, row.instead_of, row.put));
        const Answer answer = folder.berth({"validate", "x.yaml"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(), Catch::Contains(": error: " + row.message));
        const std::size_t first = answer.err.find(": error: ");
        CHECK(answer.err.find(": error: ", first + 1) == std::string::npos);  // only one
    }
}

TEST_CASE("wrong turns: a quota that is refused is not unknown too", "[cli][wrong-turns][quota]") {
    const std::string message =
        refusal_of(replaced(gpu_experiment, "user: ann", "quota: team") +
                   "  quotas: [{objects: [{kind: ElasticQuota, metadata: {name: team}, spec: {min: "
                   "{nvidia.com/gpu: 9}, max: {nvidia.com/gpu: 8}}}]}]\n");
    CHECK_THAT(message, Catch::Contains("min of team is 9 nvidia.com/gpu"));
    const Folder folder;
    folder.write("x.yaml",
                 replaced(gpu_experiment, "user: ann", "quota: team") +
                     "  quotas: [{objects: [{kind: ElasticQuota, metadata: {name: team}, spec: "
                     "{min: {nvidia.com/gpu: 9}, max: {nvidia.com/gpu: 8}}}]}]\n");
    CHECK_THAT(folder.berth({"validate", "x.yaml"}).err, !Catch::Contains("unknown quota"));
}

TEST_CASE("wrong turns: a workload that brings no jobs is said", "[cli][wrong-turns]") {
    const std::string empty = gpu_experiment.substr(0, gpu_experiment.find("  workload:"));
    const std::string none =
        "warning: the workload brings no jobs: expected pods, groups, generate or trace in "
        "spec.workload";
    CHECK_THAT(warning_of(empty), Catch::Contains(none));
    CHECK_THAT(warning_of(empty + "  workload: []\n"), Catch::Contains(none));
    CHECK_THAT(warning_of(empty + "  workload: [{pods: []}]\n"), Catch::Contains(none));
    const std::string late = empty + "  workload: [{pods: [{type: one, at: 2h}]}]\n";
    CHECK(warning_of(late).empty());
    CHECK_THAT(warning_of(late + "  until: 1h\n"),
               Catch::Contains("warning: pods: its first job arrives at 2 h, after the run has "
                               "ended at 1 h: expected a later until"));
}

TEST_CASE("wrong turns: a part of a GPU in a server is said", "[cli][wrong-turns]") {
    CHECK_THAT(warning_of(replaced(gpu_experiment, "nvidia.com/gpu: 8}", "nvidia.com/gpu: 8.5}")),
               Catch::Contains("warning: machine type 'hgx' has 8500m nvidia.com/gpu: expected a "
                               "whole number of GPUs"));
}

TEST_CASE("wrong turns: a sweep without points, and a path without its spec",
          "[cli][wrong-turns]") {
    const Folder folder;
    folder.write("x.yaml", gpu_experiment);
    folder.write(
        "s.yaml",
        "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: x.yaml}\n"
        "  axes: [{name: a, path: spec.seed, values: [1, 2]}]\n  exclude: [{a: [1, 2]}]\n");
    for (const char* command : {"validate", "sweep"}) {
        const Answer answer = folder.berth({command, "s.yaml"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(), Catch::Contains("exclude leaves no point: expected at "));
    }
    CHECK_THAT(folder.berth({"run", "x.yaml", "--set", "replications=2"}).first_line(),
               Catch::EndsWith("(did you mean 'spec.replications'?)"));
}
