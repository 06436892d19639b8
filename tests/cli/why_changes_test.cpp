// The changes that `berth why` proposes, each of which is tried.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

const std::string head = R"(kind: Experiment
metadata: {name: tiny}
spec:
  until: 1h
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: host}]
      machineTypes:
        host: {capacity: {cpu: 8}}
)";

/// What is run, which pod is asked about, and where it stopped.
struct Case {
    std::string what;
    std::string experiment;
    std::string pod;
    std::string stage;
    std::string subject;
    /// How to write each kind of change into the experiment: a path for --set and its value, with
    /// values of the change in braces.
    std::map<std::string, std::vector<std::string>> settings;
};

const std::vector<Case> cases{
    {"filter",
     head + R"(  types: {six: {cpu: 6}, five: {cpu: 5}, four: {cpu: 4}}
  workload:
    - pods:
        - {name: long, type: six, count: 3, at: 0s}
        - {name: five, type: five, at: 0s}
        - {name: w, type: four, at: 10s}
)",
     "w",
     "filter",
     "",
     {{"ask", {"spec.types.four.cpu={to}"}},
      {"leave", {"spec.workload[0].pods[1].lifetime=10s"}},
      {"free", {"spec.types.five.cpu=4"}},
      {"servers", {"spec.topology.spec.levels[1].count=[2,3]"}}}},
    {"overtaken",
     head + R"(  types: {eight: {cpu: 8}, five: {cpu: 5}}
  workload:
    - pods:
        - {name: a, type: eight, count: 3, at: 0s}
        - {name: b, type: five, at: 10s}
        - {name: w, type: five, at: 10s}
)",
     "w",
     "filter",
     "",
     {{"free", {"spec.types.five.cpu=4"}},
      {"ask", {"spec.workload[0].pods[2].type=less", "spec.types.less={cpu: {to}}"}},
      {"leave", {"spec.workload[0].pods[1].at=20s"}},
      {"servers", {"spec.topology.spec.levels[1].count=[2,3]"}},
      {"first",
       {"spec.scheduler={profile: {queueSort: priority}}",
        "spec.workload[0].pods[2].priority=1"}}}},
    {"level",
     head + R"(  types: {three: {cpu: 3}, four: {cpu: 4}}
  workload:
    - pods:
        - {name: a, type: four, at: 0s}
        - {name: b, type: four, at: 0s}
        - {name: c, type: four, at: 0s}
    - groups:
        - document:
            kind: GroupPlacement
            spec:
              group: {name: g, size: 4, type: three}
              constraints: [{level: rack, affinity: pack, soft: false, scope: group}]
          at: 10s
  scheduler: {profile: {score: [worst-fit]}}
)",
     "g-2",
     "level",
     "rack",
     {{"ask", {"spec.types.three.cpu={to}"}},
      {"members", {"spec.workload[1].groups[0].size={to}"}},
      {"constraint", {"spec.workload[1].groups[0].document.spec.constraints[0].soft=true"}},
      {"leave", {"spec.workload[0].pods[{index}].lifetime=10s"}},
      {"servers", {"spec.topology.spec.levels[1].count=[{count0},{count1}]"}}}},
    {"members",
     head + R"(  types: {seven: {cpu: 7}, four: {cpu: 4}}
  workload:
    - pods: [{name: a, type: seven, at: 0s}, {name: b, type: seven, at: 0s}]
    - groups:
        - document: {kind: GroupPlacement, spec: {group: {name: g, size: 5, type: four}}}
          at: 10s
)",
     "g",
     "members",
     "",
     {{"ask", {"spec.types.four.cpu={to}"}},
      {"members", {"spec.workload[1].groups[0].size={to}"}},
      {"leave", {"spec.workload[0].pods[{index}].lifetime=10s"}},
      {"servers", {"spec.topology.spec.levels[1].count=[{count0},{count1}]"}}}},
    {"quota",
     head + R"(  types: {four: {cpu: 4}}
  quotas:
    - objects:
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: A}
          spec: {min: {cpu: 4}, max: {cpu: 10}}
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: B}
          spec: {min: {cpu: 4}, max: {cpu: 32}}
  quotaChanges: []
  workload:
    - pods:
        - {name: a, type: four, count: 2, quota: A, at: 0s}
        - {name: w, type: four, quota: A, at: 10s}
  scheduler: {profile: {preFilter: [elastic-quota]}}
)",
     "w",
     "quota",
     "A",
     {{"quota", {"spec.quotaChanges=[{updates}]"}},
      {"ask", {"spec.workload[0].pods[1].type=less", "spec.types.less={cpu: {to}}"}},
      {"leave", {"spec.workload[0].pods[0].lifetime=10s"}}}},
    {"nested quotas",
     head + R"(  types: {four: {cpu: 4}}
  quotas:
    - objects:
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: P, labels: {quota.scheduling.koordinator.sh/is-parent: "true"}}
          spec: {min: {cpu: 8}, max: {cpu: 10}}
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: A, labels: {quota.scheduling.koordinator.sh/parent: P}}
          spec: {min: {cpu: 4}, max: {cpu: 30}}
        - apiVersion: scheduling.sigs.k8s.io/v1alpha1
          kind: ElasticQuota
          metadata: {name: B, labels: {quota.scheduling.koordinator.sh/parent: P}}
          spec: {min: {cpu: 4}, max: {cpu: 30}}
  quotaChanges: []
  workload:
    - pods:
        - {name: a, type: four, quota: A, at: 0s}
        - {name: b, type: four, quota: B, at: 0s}
        - {name: w, type: four, quota: A, at: 10s}
  scheduler: {profile: {preFilter: [elastic-quota]}}
)",
     "w",
     "quota",
     "A",
     {{"quota", {"spec.quotaChanges=[{updates}]"}},
      {"ask", {"spec.workload[0].pods[2].type=less", "spec.types.less={cpu: {to}}"}},
      {"leave", {"spec.workload[0].pods[{index}].lifetime=10s"}}}},
    {"queue",
     head + R"(  types: {eight: {cpu: 8}, one: {cpu: 1}, four: {cpu: 4}}
  workload:
    - pods:
        - {name: four, type: four, count: 4, at: 0s}
        - {name: big, type: eight, at: 5s}
        - {name: w, type: one, at: 10s}
  scheduler: {profile: {queueSort: fcfs, score: [worst-fit]}}
)",
     "w",
     "queue",
     "big",
     {{"first", {"spec.scheduler.profile.queueSort=fifo"}}}},
};

const std::string one_machine = R"(kind: Experiment
metadata: {name: tiny}
spec:
  until: 1h
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: hgx}]
      machineTypes:
        hgx:
          capacity: {cpu: 64}
          devices:
            gpu: {count: 4, model: H100, numa: [0, 0, 1, 1], pcie: [0, 0, 1, 1]}
)";

const std::vector<Case> device_cases{
    {"devices",
     one_machine + R"(  types:
    one: {cpu: 1, nvidia.com/gpu: 1}
    near:
      cpu: 1
      nvidia.com/gpu: 2
      annotations:
        scheduling.koordinator.sh/device-allocate-hint:
          '{"gpu": {"requiredTopologyScope": "NUMANode"}}'
  workload:
    - pods:
        - {name: a, type: one, at: 0s}
        - {name: b, type: one, at: 0s, lifetime: 5s}
        - {name: c, type: one, at: 0s}
        - {name: d, type: one, at: 0s, lifetime: 5s}
        - {name: w, type: near, at: 10s}
  scheduler: {profile: {reserve: [{name: device-allocator}]}}
)",
     "w",
     "devices",
     "",
     {{"ask", {"spec.types.near={cpu: 1, nvidia.com/gpu: 1}"}},
      {"leave", {"spec.workload[0].pods[{index}].lifetime=10s"}}}},
    {"shared GPUs",
     one_machine + R"(  types:
    most: {cpu: 1, nvidia.com/gpu: 600m}
    half: {cpu: 1, nvidia.com/gpu: 500m}
  workload:
    - pods:
        - {name: a, type: most, at: 0s}
        - {name: b, type: most, at: 0s}
        - {name: c, type: most, at: 0s}
        - {name: d, type: most, at: 0s}
        - {name: w, type: half, at: 10s}
  scheduler: {profile: {reserve: [gpu-sharing]}}
)",
     "w",
     "devices",
     "",
     {{"ask", {"spec.types.half={cpu: 1, nvidia.com/gpu: {to}}"}},
      {"leave", {"spec.workload[0].pods[{index}].lifetime=10s"}},
      {"servers", {"spec.topology.spec.levels[0].count=2"}}}},
};

std::string filled(std::string text, const std::string& name, const std::string& value) {
    const std::string hole = "{" + name + "}";
    for (std::size_t at; (at = text.find(hole)) != std::string::npos;) {
        text.replace(at, hole.size(), value);
    }
    return text;
}

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The settings that correspond to a change.
std::vector<std::string> settings_of(const Case& tried, const Json& change) {
    std::vector<std::string> settings = tried.settings.at(change["kind"]);
    for (std::string& setting : settings) {
        if (change.contains("to")) {
            setting = filled(setting, "to", text_of(change["to"]));
        }
        if (change["kind"] == "leave") {
            REQUIRE(change["jobs"].size() == 1);  // a pod with a name of one letter
            const char first = text_of(change["jobs"][0])[0];
            setting = filled(setting, "index", std::to_string(first - 'a'));
        }
        if (change["kind"] == "servers") {
            const int more = change["count"];
            const bool here = text_of(change["parent"]).ends_with("0");
            setting = filled(setting, "count0", std::to_string(2 + (here ? more : 0)));
            setting = filled(setting, "count1", std::to_string(2 + (here ? 0 : more)));
        }
        if (change["kind"] == "quota") {
            std::string updates;
            for (const Json& quota : change["quotas"]) {
                std::string patch = "name: " + text_of(quota["quota"]);
                for (const char* key : {"min", "max"}) {
                    if (quota.contains(key)) {
                        patch += fmt::format(", {}: {{cpu: {}}}", key, text_of(quota[key]["cpu"]));
                    }
                }
                // A parent comes before its children.
                updates = fmt::format(
                    "{{at: 10s, update: {{{}}}}}{}{}", patch, updates.empty() ? "" : ", ", updates);
            }
            setting = filled(setting, "updates", updates);
        }
    }
    return settings;
}

/// The start of the pod, or of the first member of the group; empty if it does not start.
std::string start_of(const Folder& folder, const std::string& pod) {
    for (const CsvRow& row : csv_rows(folder.read("changed/pods.csv"))) {
        if (row.at("pod") == pod || row.at("group") == pod) {
            return row.at("start_s");
        }
    }
    return "nobody";
}

}  // namespace

TEST_CASE("why: each change that it proposes lets the pod in", "[cli][why]") {
    const Case& tried = GENERATE(from_range(cases), from_range(device_cases));
    CAPTURE(tried.what);
    const Folder folder;
    folder.write("tiny.yaml", tried.experiment);
    done(folder, {"run", "tiny.yaml", "-o", "out", "--quiet"});
    const Json why = Json::parse(done(folder, {"why", "out", tried.pod, "--json"}));
    CHECK(why["differs"].is_null());
    CHECK(why["outcome"] == "waiting");
    REQUIRE(why["story"].size() == 1);
    CHECK(why["story"][0]["stage"] == tried.stage);
    CHECK(why["story"][0]["subject"] == tried.subject);
    CHECK(why["last_failure"]["at_s"] == 10);
    const std::string text = done(folder, {"why", "out", tried.pod});
    const std::string first_change = why["last_failure"]["changes"][0]["text"];
    CHECK_THAT(text,
               Catch::Contains("\n  It still waited when the run ended: ") &&
                   Catch::Contains("\n  The smallest change that would have let it in at 10 s: " +
                                   first_change));
    std::set<std::string> kinds;
    double share = 0;
    for (const Json& change : why["last_failure"]["changes"]) {
        CAPTURE(change.dump());
        kinds.insert(change["kind"]);
        const double own = change["share"].is_null() ? 1e9 : change["share"].get<double>();
        CHECK(own >= share);
        share = own;
        if (!tried.settings.contains(change["kind"])) {
            FAIL_CHECK("no way to try it");
            continue;
        }
        Arguments arguments{"run", "tiny.yaml", "-o", "changed", "--quiet"};
        for (const std::string& setting : settings_of(tried, change)) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        CAPTURE(arguments);
        done(folder, arguments);
        CHECK(start_of(folder, text_of(why["job"]["name"])) == "10");
    }
    std::set<std::string> expected;
    for (const auto& [kind, setting] : tried.settings) {
        expected.insert(kind);
    }
    CHECK(kinds == expected);
}
