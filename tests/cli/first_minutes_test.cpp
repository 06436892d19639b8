// Likely mistakes in a first experiment: each one is accepted, or is refused or reported with what
// to write instead.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "folder.hpp"
#include "gpu_experiment.hpp"

using namespace berth::tests;

namespace {

using Replacement = std::pair<std::string, std::string>;

const std::string service = "service: {distribution: exponential, mean: 10m}";

std::string with_scheduler(const std::string& scheduler) {
    return gpu_experiment + "  scheduler: " + scheduler + "\n";
}

/// The first line of the message with which `run` refuses these arguments.
std::string refused(const Folder& folder, const Arguments& arguments) {
    const Answer answer = folder.berth(arguments);
    CAPTURE(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    return answer.first_line();
}

}  // namespace

TEST_CASE("first minutes: jobs without a service never end, which is said unless it is meant",
          "[cli][first-minutes]") {
    const std::string endless = replaced(gpu_experiment, service, "until: 1h");
    CHECK_THAT(warning_of(endless),
               Catch::StartsWith("x.yaml:15:13: warning: no service, so that the jobs never end: "
                                 "expected service: {distribution: exponential, mean: 1h}, or "
                                 "service: none for jobs that run until the run ends\n"));
    CHECK(warning_of(replaced(gpu_experiment, service, "service: none")).empty());
    const std::string one = replaced(
        endless, "{name: small,", "{name: small, service: {distribution: constant, value: 1m},");
    CHECK_THAT(warning_of(one), Catch::StartsWith("x.yaml:16:13: warning: no service"));
    CHECK_THAT(
        refusal_of(replaced(gpu_experiment, "{name: small,", "{name: small, service: none,")),
        Catch::EndsWith("found 'none': expected a distribution where generate has one too"));
}

TEST_CASE("first minutes: a duration that no clock holds is refused for its length",
          "[cli][first-minutes]") {
    CHECK(refusal_of(replaced(gpu_experiment, "mean: 10m", "mean: 99999999d")) ==
          "x.yaml:12:52: error: found '99999999d': expected a duration of at most 106751d, which "
          "is 292 years");
    // The longest possible time: nothing overflows, and every job runs until the end.
    const Folder folder;
    folder.write("x.yaml",
                 replaced(gpu_experiment,
                          service,
                          "service: {distribution: constant, value: "
                          "106751d}") +
                     "  until: 1d\n");
    CHECK(folder.berth({"run", "x.yaml", "--quiet"}).status == 0);
    CHECK_THAT(folder.read("out/gpus/jobs.csv"), Catch::Contains(",running,"));
}

TEST_CASE("first minutes: more replications than a machine holds are refused",
          "[cli][first-minutes]") {
    CHECK(refusal_of(replaced(gpu_experiment, "spec:\n", "spec:\n  replications: 1000000000\n")) ==
          "x.yaml:4:17: error: found '1000000000': expected a whole number from 1 to 100000");
}

TEST_CASE("first minutes: a part of an experiment that is run is told where it belongs",
          "[cli][first-minutes]") {
    const std::string node = "{kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}";
    const auto rows = std::vector<Replacement>{
        {"{kind: NodeList, items: [" + node + "]}",
         "topology: {nodes: {format: kubernetes, file: part.yaml}}"},
        {"{kind: List, items: [" + node + "]}",
         "topology: {nodes: {format: kubernetes, file: part.yaml}}"},
        {"{kind: Topology, spec: {}}", "topology: {file: part.yaml}"},
        {"{kind: Workload, spec: {}}", "workload: [{file: part.yaml}]"},
        {"{kind: GroupPlacement, spec: {}}", "workload: [{groups: [{file: part.yaml}]}]"},
        {"{kind: ElasticQuota, spec: {}}", "quotas: [{file: part.yaml}]"},
        {"{kind: ClusterQueue, apiVersion: kueue.x-k8s.io/v1beta1, spec: {}}",
         "scheduler: {kueue: part.yaml}"}};
    for (const auto& [text, place] : rows) {
        CAPTURE(text);
        const Folder folder;
        folder.write("part.yaml", text + "\n");
        CHECK_THAT(refused(folder, {"run", "part.yaml"}),
                   Catch::StartsWith("part.yaml:1:8: error: found kind '") &&
                       Catch::EndsWith(": expected Experiment; write one whose spec has " + place));
    }
}

TEST_CASE("first minutes: a bracket that is open is told with its place", "[cli][first-minutes]") {
    const auto rows = std::vector<Replacement>{
        {"a: {b: 1\nc: 2\nd: 3\n", "x.yaml:2:2: error: the '{' of line 1, column 4 is"},
        {"a: {b: [1, 2}\n", "x.yaml:1:13: error: the '[' of line 1, column 8 is"},
        {"a:\n  - {b: 1,\n     c: 2\n  - {b: 2}\n",
         "x.yaml:4:5: error: the '{' of line 2, column 5 is"}};
    for (const auto& [text, begin] : rows) {
        CAPTURE(text);
        const Folder folder;
        folder.write("x.yaml", text);
        CHECK_THAT(refused(folder, {"run", "x.yaml"}),
                   Catch::StartsWith(begin + " still open here: expected a ',' or its '") &&
                       Catch::EndsWith("' before this"));
    }
    const Folder folder;
    folder.write("x.yaml", "{\"kind\": \"Experiment\", \"spec\": {\"seed\": 1");
    CHECK(refused(folder, {"run", "x.yaml"}) ==
          "x.yaml:1:32: error: this '{' is still open at the end: expected its '}'");
}

TEST_CASE("first minutes: a line in another column than its neighbours is told its column",
          "[cli][first-minutes]") {
    const auto rows = std::vector<Replacement>{
        {"a:\n    - b: 1\n  - b: 2\n",
         "x.yaml:3:3: error: an entry of a list in column 3: expected column 5, as the list above "
         "has it in line 2"},
        {"a:\n  - b: 1\n    - b: 2\n",
         "x.yaml:3:5: error: an entry of a list in column 5: expected column 3, as the list above "
         "has it in line 2"},
        {"a:\n  - b: {c: 1}\n    - b: {c: 2}\n",
         "x.yaml:3:5: error: an entry of a list in column 5: expected column 3, as the list above "
         "has it in line 2"},
        {"a:\n  b: 1\n   c: 2\n",
         "x.yaml:3:4: error: a key in column 4: expected column 3, as 'b' is in line 2"},
        {"a:\n    b: 1\n  c: 2\n",
         "x.yaml:3:3: error: a key in column 3: expected column 5, as 'b' is in line 2"},
        {"a:\n  b:1\n  c: 2\n",
         "x.yaml:3:4: error: invalid YAML: illegal map value: expected a valid document (is there "
         "a space after each key's colon, also in the lines above?)"}};
    for (const auto& [text, message] : rows) {
        CAPTURE(text);
        const Folder folder;
        folder.write("x.yaml", text);
        CHECK(refused(folder, {"run", "x.yaml"}) == message);
    }
}

TEST_CASE("first minutes: a key of the experiment as an option is told as --set",
          "[cli][first-minutes]") {
    const Folder folder;
    folder.write("x.yaml", gpu_experiment);
    const auto told = [&](const Arguments& arguments) {
        Arguments all{"run", "x.yaml"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return refused(folder, all);
    };
    CHECK(told({"--replications", "5"}) ==
          "berth run: error: unknown option '--replications': expected --set spec.replications=5, "
          "since it is a key of the experiment");
    CHECK_THAT(told({"--until=1d"}), Catch::Contains("expected --set spec.until=1d,"));
    CHECK_THAT(told({"--queue-sort", "fcfs"}),
               Catch::Contains("expected --set spec.scheduler.profile.queueSort=fcfs,"));
    CHECK_THAT(told({"--score"}),
               Catch::Contains("expected --set spec.scheduler.profile.score=VALUE,"));
    // The proposed setting works.
    CHECK(folder.berth({"run", "x.yaml", "-q", "--set", "spec.scheduler.profile.queueSort=fcfs"})
              .status == 0);
    CHECK_THAT(refused(folder, {"sweep", "x.yaml", "--seed", "7"}),
               Catch::Contains("expected --set spec.seed=7,"));
    CHECK_THAT(refused(folder, {"verify", "x", "--until", "7"}),
               Catch::Contains("unknown option '--until': expected --threads"));
    CHECK(told({"--set", "spec.seed=2", "spec.until=1d"}) ==
          "berth run: error: 'spec.until=1d' is one argument too many: expected --set before "
          "each, as in --set spec.until=1d");
}

TEST_CASE("first minutes: two experiments to run are told how to run both",
          "[cli][first-minutes]") {
    const Folder folder;
    folder.write("x.yaml", gpu_experiment);
    CHECK(refused(folder, {"run", "x.yaml", "y.yaml"}) ==
          "berth run: error: 'y.yaml' is one argument too many: expected one experiment: berth "
          "run is called once for each, and berth sweep runs variants of one");
    CHECK(refused(folder, {"list", "figures", "metrics"}) ==
          "berth list: error: 'metrics' is one argument too many: expected 1 at most");
    CHECK(refused(folder, {"place", "x"}) ==
          "berth place: error: 'x' is one argument too many: expected none");
}

TEST_CASE("first minutes: help before a command is that command's", "[cli][first-minutes]") {
    const Folder folder;
    CHECK(done(folder, {"help", "run"}) == done(folder, {"run", "--help"}));
    CHECK(done(folder, {"--help", "why"}) == done(folder, {"why", "--help"}));
    CHECK_THAT(refused(folder, {"help", "rnu"}),
               Catch::StartsWith("berth: error: unknown command 'rnu'") &&
                   Catch::EndsWith("(did you mean 'run'?)"));
}

TEST_CASE("first minutes: a name that is short for several proposes them", "[cli][first-minutes]") {
    CHECK_THAT(refusal_of(with_scheduler("{profile: {queueSort: backfill}}")),
               Catch::EndsWith("(did you mean 'conservative-backfill', 'easy-backfill' or "
                               "'replanned-backfill'?)"));
}

TEST_CASE(
    "first minutes: a plug-in's name in the place of a scheduler or a profile is told where "
    "it belongs",
    "[cli][first-minutes]") {
    const auto rows = std::vector<Replacement>{
        {"easy-backfill", "found 'easy-backfill': expected {profile: {queueSort: easy-backfill}}"},
        {"best-fit", "found 'best-fit': expected {profile: {score: best-fit}}"},
        {"kueue", "found 'kueue': expected {kueue: FILE}, with the file of Kueue's objects"},
        {"quantum",
         "found 'quantum': expected {profile: {queueSort: fifo, score: best-fit}} or the like"},
        {"{profile: gang-preemption}",
         "found 'gang-preemption': expected {postFilter: gang-preemption}"},
        {"{profile: {queueSort: best-fit}}", "; best-fit is for score"},
        {"{profile: {score: [easy-backfill]}}", "; easy-backfill is for queueSort"},
        {"{profile: {filter: gpu-sharing}}", "; gpu-sharing is for reserve"}};
    for (const auto& [scheduler, end] : rows) {
        CAPTURE(scheduler);
        CHECK_THAT(refusal_of(with_scheduler(scheduler)), Catch::EndsWith(end));
    }
}

TEST_CASE("first minutes: a plug-in that stands alone needs no list", "[cli][first-minutes]") {
    const auto same = [](const std::string& alone, const std::string& listed) {
        const Folder folder;
        folder.write("alone.yaml", with_scheduler(alone));
        folder.write("listed.yaml", with_scheduler(listed));
        for (const char* name : {"alone", "listed"}) {
            (void)done(folder, {"run", std::string(name) + ".yaml", "-q", "-o", name});
        }
        CHECK(folder.read("alone/jobs.csv") == folder.read("listed/jobs.csv"));
        CHECK(folder.read("alone/nodes.csv") == folder.read("listed/nodes.csv"));
        CHECK(folder.read("alone/summary.json") == folder.read("listed/summary.json"));
    };
    same("{profile: {score: best-fit}}", "{profile: {score: [best-fit]}}");
    same("{profile: {score: {name: best-fit, weight: 2}}}",
         "{profile: {score: [{name: best-fit, weight: 2}]}}");
    same("{profile: {filter: resources-fit, reserve: gpu-sharing, score: gpu-packing}}",
         "{profile: {filter: [resources-fit], reserve: [gpu-sharing], score: [gpu-packing]}}");
    const Folder folder;
    folder.write(
        "quota.yaml",
        with_scheduler("{profile: {preFilter: elastic-quota, postFilter: gang-preemption}}"));
    CHECK(done(folder, {"validate", "quota.yaml"}) == "quota.yaml: valid\n");
}

TEST_CASE("first minutes: a level in its short form is told how it is written",
          "[cli][first-minutes]") {
    CHECK(refusal_of(replaced(gpu_experiment, "{name: rack, count: 2}", "{rack: 6}")) ==
          "x.yaml:4:30: error: a level without name and count: expected {name: rack, count: 6}");
    CHECK(refusal_of(replaced(gpu_experiment, "{name: rack, count: 2}", "rack")) ==
          "x.yaml:4:30: error: a level without name and count: expected {name: rack, count: ...}");
    CHECK_THAT(refusal_of(replaced(gpu_experiment,
                                   "[{name: rack, count: 2}, {name: server, count: 3}]",
                                   "{rack: 2, server: 3}")),
               Catch::EndsWith("expected a list of levels, the last one the server, such as "
                               "[{name: rack, count: 6}, {name: server, count: 8}]"));
}

TEST_CASE("first minutes: what is listed and stands alone is told its list",
          "[cli][first-minutes]") {
    const auto told = [](const std::string& what, const std::string& by) {
        return refusal_of(replaced(gpu_experiment, what, by));
    };
    CHECK_THAT(told("[{type: hgx}]", "[hgx]"),
               Catch::EndsWith("found 'hgx': expected {type: hgx}"));
    CHECK_THAT(told("[{type: hgx}]", "{type: hgx}"),
               Catch::EndsWith("found a map: expected a list of machines, such as [{type: NAME}]"));
    CHECK_THAT(told("    - generate:", "      generate:"),
               Catch::EndsWith("found a map: expected a list of sources, such as [{generate: "
                               "...}]"));
}

TEST_CASE("first minutes: a comma in a number is told as a point", "[cli][first-minutes]") {
    const auto told = [](const std::string& what, const std::string& by) {
        return refusal_of(replaced(gpu_experiment, what, by));
    };
    CHECK_THAT(told("weight: 2", "weight: 1,5"), Catch::EndsWith(" (did you mean 1.5?)"));
    CHECK_THAT(told("mean: 10m}", "mean: '1,5h'}"), Catch::EndsWith(" (did you mean 1.5h?)"));
    CHECK_THAT(told("count: 20", "count: 2,000"), Catch::EndsWith(" (did you mean 2000?)"));
    CHECK_THAT(told("cpu: 4,", "cpu: '0,5',"), Catch::EndsWith(" (did you mean 0.5?)"));
}

TEST_CASE("first minutes: a trace with decimal commas, or cut in its last line, is told so",
          "[cli][first-minutes][trace]") {
    const auto told = [](const std::string& text) {
        const Folder folder;
        folder.write("t.csv", text);
        return refused(folder, {"workload", "t.csv", "--from", "csv"});
    };
    const std::string head = "name,submit,run_time,gpus\n";
    CHECK_THAT(told("name;submit;run_time;gpus\na;0;10,5;1\n"),
               Catch::StartsWith("t.csv:2:5: error: run_time: ") &&
                   Catch::EndsWith(" (did you mean 10.5?)"));
    CHECK_THAT(told(head + "a,0,\"1,5\",1\n"), Catch::EndsWith(" (did you mean 1.5?)"));
    CHECK(told(head + "a,0,1,5,1\n") ==
          "t.csv:2:1: error: 5 fields: expected 4, as in the header, and a point in decimal "
          "numbers, not a comma");
    const std::string cut = "; the file ends in this row, without a line end: is it whole?";
    CHECK(told(head + "a,0,10,1\nb,0,1") ==
          "t.csv:3:1: error: 3 fields: expected 4, as in the header" + cut);
    CHECK_THAT(told(head + "a,0,10,1\nb,0,1\n"), !Catch::Contains(cut));
    CHECK_THAT(told(head + "a,0,x,1\nb,0,1,1"), !Catch::Contains(cut));
    const auto said = [](const std::string& file, const std::string& text) {
        const Folder folder;
        folder.write(file, text);
        return refused(folder, {"workload", file, "--from", file.substr(2)});
    };
    CHECK_THAT(
        said("t.jsonl", "{\"submit\": 1, \"run_time\": 2, \"gpus\": 1}\n{\"submit\": 1, \"r"),
        Catch::StartsWith("t.jsonl:2:") && Catch::EndsWith(cut));
    const std::string swf = "1 0 0 10 1 -1 -1 1 10 -1 1 1 1 -1 1 -1 -1 -1\n";
    CHECK_THAT(
        said("t.swf", swf + swf + "3 0 0 10 1 -1 -"),
        Catch::StartsWith("t.swf:3:1: error: 7 fields: expected 18") && Catch::EndsWith(cut));
}

TEST_CASE("first minutes: why takes a part of a name that only one job has",
          "[cli][first-minutes][why]") {
    const Folder folder;
    folder.write("x.yaml",
                 "kind: Experiment\nmetadata: {name: x}\nspec:\n"
                 "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: a}], "
                 "machineTypes: {a: {capacity: {cpu: 4}}}}}\n"
                 "  types: {one: {cpu: 4}}\n"
                 "  workload: [{pods: [{name: night-train, type: one, lifetime: 1h}, {name: "
                 "eval-4, type: one, lifetime: 1h}, {name: eval-49, type: one, lifetime: 1h}]}]\n");
    (void)done(folder, {"run", "x.yaml", "-q"});
    const auto why = [&](const std::string& name) {
        const Answer answer = folder.berth({"why", "out/x", name, "--json"});
        CAPTURE(answer.err);
        CHECK(answer.status == 0);
        return std::pair(nlohmann::json::parse(answer.out).at("job").at("name"), answer.err);
    };
    CHECK(why("train").first == "night-train");
    CHECK(why("train").second == "out/x: 'train' is night-train, the only name with that in it\n");
    CHECK(why("night-train").second.empty());
    CHECK(why("49").first == "eval-49");
    CHECK(why("eval-4").first == "eval-4");
    CHECK_THAT(refused(folder, {"why", "out/x", "eval"}),
               Catch::EndsWith("x: error: 'eval' may be any of 2 pods and groups: expected the "
                               "whole name of one, such as eval-4, eval-49"));
    CHECK_THAT(refused(folder, {"why", "out/x", "al-9"}), Catch::Contains("no pod or group"));
}

TEST_CASE("first minutes: a duration and a mean are distributions", "[cli][first-minutes]") {
    const Folder folder;
    const auto jobs = [&](const std::string& arrivals, const std::string& service) {
        folder.write("e.yaml",
                     "kind: Experiment\nmetadata: {name: e}\nspec:\n  topology: {spec: {levels: "
                     "[{name: server, count: 2}], machines: [{type: m}], machineTypes: {m: "
                     "{capacity: {cpu: 4}}}}}\n  types: {t: {cpu: 1}}\n  workload: [{generate: "
                     "{type: t, count: 40, arrivals: " +
                         arrivals + ", service: " + service + "}}]\n");
        (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
        return folder.read("o/jobs.csv");
    };
    CHECK(jobs("{mean: 30s}", "5m") ==
          jobs("{distribution: exponential, mean: 30s}", "{distribution: constant, value: 5m}"));
    CHECK(jobs("30s", "{mean: 5m}") ==
          jobs("{distribution: constant, value: 30s}", "{distribution: exponential, mean: 5m}"));
}
