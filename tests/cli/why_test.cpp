#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
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

/// What is run, who is asked about, and where it stopped.
struct Case {
    std::string what;
    std::string experiment;
    std::string pod;
    std::string stage;
    std::string subject;
    /// How to write a change of a kind into the experiment: a path for --set and its value, with
    /// what the change says in braces.
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

/// The settings that a change stands for.
std::vector<std::string> settings_of(const Case& tried, const Json& change) {
    std::vector<std::string> settings = tried.settings.at(change["kind"]);
    for (std::string& setting : settings) {
        if (change.contains("to")) {
            setting = filled(setting, "to", text_of(change["to"]));
        }
        if (change["kind"] == "leave") {
            REQUIRE(change["jobs"].size() == 1);  // of pods with names of one letter
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
                // A parent before its children.
                updates = fmt::format(
                    "{{at: 10s, update: {{{}}}}}{}{}", patch, updates.empty() ? "" : ", ", updates);
            }
            setting = filled(setting, "updates", updates);
        }
    }
    return settings;
}

/// When the pod, or the first member of the group, starts; empty if it does not.
std::string start_of(const Folder& folder, const std::string& pod) {
    for (const CsvRow& row : csv_rows(folder.read("changed/pods.csv"))) {
        if (row.at("pod") == pod || row.at("group") == pod) {
            return row.at("start_s");
        }
    }
    return "nobody";
}

/// Jobs of many kinds on four servers, more than there is room for.
const std::string busy = R"(kind: Experiment
metadata: {name: busy}
spec:
  replications: 2
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: hgx}]
      machineTypes: {hgx: {capacity: {cpu: 64}, devices: {gpu: {count: 4, model: H100}}}}
  types:
    share: {cpu: 4, nvidia.com/gpu: 300m}
    two: {cpu: 16, nvidia.com/gpu: 2}
  workload:
    - generate:
        name: job
        arrivals: {distribution: exponential, mean: 5s}
        count: 60
        service: {distribution: exponential, mean: 5m}
        mix:
          - {type: share, name: share, weight: 3}
          - {type: two, name: two}
          - group:
              spec:
                group: {name: g, size: 4, type: share}
                constraints: [{level: rack, affinity: pack, soft: false, scope: group}]
  scheduler: {profile: {}}
)";

}  // namespace

TEST_CASE("why: a run goes the same way when a job of it is watched", "[cli][why]") {
    const std::string profile = GENERATE(as<std::string>(),
                                         "{reserve: [gpu-sharing], score: [random]}",
                                         "{reserve: [gpu-sharing], score: [gpu-packing]}",
                                         "{reserve: [device-allocator]}",
                                         "{queueSort: easy-backfill}",
                                         "{queueSort: fcfs}",
                                         "{queueSort: shortest-job}");
    CAPTURE(profile);
    const Folder folder;
    // Only where GPUs are shared is there a third of one.
    const bool shares = profile.find("gpu-sharing") != std::string::npos;
    folder.write("busy.yaml", shares ? busy : replaced(busy, "300m", "1"));
    done(folder,
         {"run", "busy.yaml", "-o", "out", "-q", "--set", "spec.scheduler.profile=" + profile});
    std::map<std::string, CsvRow> jobs;  // the last pod of each
    for (const CsvRow& row : csv_rows(folder.read("out/pods.csv"))) {
        if (row.at("replication") == "1") {
            jobs[row.at("group").empty() ? row.at("pod") : row.at("group")] = row;
        }
    }
    std::size_t waited = 0;
    std::size_t asked = 0;
    for (const auto& [name, row] : jobs) {
        const bool waits = row.at("wait_s") != "0";
        if (++asked % 4 != 0) {
            continue;
        }
        CAPTURE(name);
        const Json why =
            Json::parse(done(folder, {"why", "out", name, "--replication", "1", "--json"}));
        CHECK(why["differs"].is_null());
        CHECK(why["start_s"] == std::stod(row.at("start_s")));
        CHECK((why["failed_attempts"] > 0 || !waits));
        if (why["failed_attempts"] > 0) {
            ++waited;
            CHECK(why["story"].back()["to_s"] < why["start_s"]);
            const bool held_up = why["last_failure"]["stage"] == "queue";
            CHECK((held_up || !why["last_failure"]["changes"].empty()));
        }
    }
    CHECK(waited > 0);
}

TEST_CASE("why: a window that the run found is the window of its metrics", "[cli][why]") {
    const Folder folder;
    folder.write("busy.yaml", replaced(busy, "300m", "1"));
    done(folder, {"run", "busy.yaml", "-o", "out", "-q", "--set", "spec.record.warmUp=auto"});
    const Json summary = Json::parse(folder.read("out/summary.json"));
    REQUIRE(summary["window"]["from_s"] > 0);
    const Json why = Json::parse(done(folder, {"why", "out", "g-0", "--json"}));
    CHECK(why["differs"].is_null());
}

TEST_CASE("why: what a person reads", "[cli][why]") {
    const Folder folder;
    folder.write("two.yaml", read_file(project_file("experiments/quota/lend-and-take-back.yaml")));
    done(folder, {"run", "two.yaml", "-o", "out", "-q"});
    CHECK_THAT(done(folder, {"why", "out", "a-30"}),
               Catch::StartsWith("pod a-30 of lend-and-take-back, replication 0\n"
                                 "  It was placed at once, on cluster/server-0.\n\n  asks for "));
    const std::string evicted = done(folder, {"why", "out", "a-84"});
    CHECK_THAT(evicted,
               Catch::StartsWith("pod a-84 of lend-and-take-back, replication 0\n"
                                 "  It waited 7190 s, and was evicted 1 time: its one failed "
                                 "attempt stopped at quota A.\n"
                                 "  The smallest change that would have let it in at 3610 s: a-0 "
                                 "has ended (1.00 % of the cluster).\n\n  asks for cpu 1\n"));
    CHECK_THAT(evicted,
               Catch::Contains("  3610 s: evicted (revoked) after 3610 s, 3610 s of work lost\n"
                               "  3610 s: 1 attempt, stopped at quota A\n") &&
                   Catch::Contains("\n  10800 s: started on cluster/server-4\n"));
    const std::string stages = done(folder, {"why", "out", "b-95"});
    CHECK_THAT(stages,
               Catch::Contains("The last attempt that failed, at 3610 s, stopped at quota B:\n") &&
                   Catch::Contains("What stopped it most often, at 3600 s, stopped at filter:\n"));
    // As a run directory that an older version wrote, and one that somebody edited.
    const std::string table = folder.read("out/replications.csv");
    folder.write("out/replications.csv", replaced(table, ",180500,", ",180501,"));
    const Answer other = folder.berth({"why", "out", "a-30"});
    CHECK(other.status == 0);
    CHECK_THAT(other.err, Catch::Contains("which gives other results"));
    folder.write("out/experiment.yaml", folder.read("out/experiment.yaml") + "\n");
    CHECK_THAT(folder.berth({"why", "out", "a-30"}).err,
               Catch::Contains("its experiment.yaml is not the one that it was made of"));
}

TEST_CASE("why: what it cannot tell of is one line", "[cli][why][bad-input]") {
    const Folder folder;
    folder.write("busy.yaml", busy);
    done(folder,
         {"run", "busy.yaml", "-o", "out", "-q", "--set", "spec.scheduler.profile.score=[random]"});
    const std::vector<std::string> before = folder.listing();
    const auto [arguments, message] = GENERATE(table<Arguments, std::string>({
        {{"why", "none", "share-0"},
         "none: error: no such run: expected a run directory, or a point of a sweep as "
         "DIR:axis=value,axis=value"},
        {{"why", "out", "shares-1"},
         "busy: error: no pod or group 'shares-1': expected a name of its pods.csv or groups.csv "
         "(did you mean 'share-"},
        {{"why", "out", "share-0", "--replication", "2"},
         "--replication: error: no replication 2: expected 0 to 1"},
        {{"why", "out", "share-0", "--replication", "x"},
         "--replication: error: found 'x': expected a whole number from 0 to"},
    }));
    CAPTURE(arguments);
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::StartsWith(message));
    CHECK(std::ranges::count(answer.err, '\n') == 1);
    CHECK(answer.out.empty());
    CHECK(folder.listing() == before);
}

TEST_CASE("why: a manifest that says other things than berth's is not believed",
          "[cli][why][bad-input]") {
    const Folder folder;
    folder.write("busy.yaml", replaced(busy, "300m", "1"));
    done(folder,
         {"run",
          "busy.yaml",
          "-o",
          "out",
          "-q",
          "--set",
          "spec.replications=1",
          "--set",
          "spec.record.warmUp=auto"});
    const auto manifest = nlohmann::json::parse(folder.read("out/manifest.json"));
    for (const auto& [key, value, status] : std::vector<std::tuple<std::string, std::string, int>>{
             {"schema", "5", 2},
             {"inputs", "5", 0},
             {"inputs", R"({"experiment.yaml": 5})", 0},
             {"fingerprint", "5", 0},
             {"window", "5", 0},
             {"window", R"({"from_ns": "a"})", 0},
             {"window", R"({"from_ns": 9, "to_ns": -5})", 0}}) {
        CAPTURE(key, value);
        auto changed = manifest;
        changed[key] = nlohmann::json::parse(value);
        folder.write("out/manifest.json", changed.dump());
        const Answer answer = folder.berth({"why", "out", "g-0"});
        CHECK(answer.status == status);
        CHECK_THAT(answer.err, !Catch::Contains("json.exception"));
    }
}

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
