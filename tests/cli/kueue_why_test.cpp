// What `berth why` tells about a job that Kueue has not admitted: which jobs hold what it lacks, at
// which level of the tree it is refused, and the changes that would have admitted it.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

const std::string cohort_object =
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: lab}, spec: "
    "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: "
    "cpu, nominalQuota: 0}]}]}]}}";
const std::string in_lab = "cohortName: lab";
const std::string preempts_lower = "preemption: {withinClusterQueue: LowerPriority}";

/// The experiment: Kueue's objects, and the other parts beside them.
std::string run_of(const KueueObjects& objects,
                   const std::string& workload,
                   int servers = 8,
                   const std::string& beside = "") {
    const KueueExperiment experiment{
        .types = "one: {cpu: 1}, two: {cpu: 2}, three: {cpu: 3}, four: {cpu: 4}",
        .workload = workload,
        .kueue = "\n" + beside + "      objects:\n" + kueue_list(objects, "      "),
        .more = "  until: 1h\n",
        .cluster = two_racks(servers, 4)};
    return experiment.text();
}

/// What is run, which job is asked about, and how to write each kind of change into the experiment:
/// the argument of --set, with values of the change in braces. Quotas are found by the numbers of
/// their objects.
struct Case {
    std::string what;
    std::string experiment;
    std::string job;
    std::string subject;
    /// The ClusterQueue or Cohort that refuses the request; empty: none does.
    std::string refuses;
    std::map<std::string, int> objects;
    std::map<std::string, std::vector<std::string>> settings;
    std::map<std::string, std::string> texts;  ///< Expected texts of some changes, by kind.
};

const std::vector<std::string> less{"spec.workload[0].pods[{w}].type=less",
                                    "spec.types.less={cpu: {to}}"};
const std::vector<std::string> more_urgent{"spec.workload[0].pods[{w}].priority={to}"};
const std::vector<std::string> ended{"spec.workload[0].pods[{index}].lifetime=5s"};

const std::vector<Case> cases{
    {"a queue without a cohort",
     run_of({flavor(), cluster_queue("solo", "4")},
            R"(    - pods:
        - {name: a, type: three, quota: solo, at: 0s}
        - {name: w, type: three, quota: solo, at: 10s}
)"),
     "w",
     "quota of default",
     "solo",
     {{"solo", 1}},
     {{"ask", less}, {"nominal-quota", {}}, {"leave", ended}},
     {{"nominal-quota", "nominalQuota of cpu of default in ClusterQueue solo is 6 instead of 4"}}},
    {"a limit of what is borrowed",
     run_of({flavor(),
             cluster_queue("mine", "2, borrowingLimit: 1", in_lab),
             cluster_queue("theirs", "4", in_lab)},
            R"(    - pods:
        - {name: a, type: two, quota: mine, at: 0s}
        - {name: w, type: two, quota: mine, at: 10s}
)"),
     "w",
     "quota of default",
     "mine",
     {{"mine", 1}, {"theirs", 2}},
     {{"ask", less}, {"nominal-quota", {}}, {"borrowing-limit", {}}, {"leave", ended}},
     {{"borrowing-limit",
       "borrowingLimit of cpu of default in ClusterQueue mine is 2 instead of 1"}}},
    {"a limit of what is lent, and a cohort with quota of its own",
     run_of({flavor(),
             cluster_queue("mine", "2", in_lab),
             cluster_queue("theirs", "4, lendingLimit: 1", in_lab),
             cohort_object},
            R"(    - pods:
        - {name: a, type: two, quota: mine, at: 0s}
        - {name: w, type: three, quota: mine, at: 10s}
)"),
     "w",
     "quota of default",
     "lab",
     {{"mine", 1}, {"theirs", 2}, {"lab", 3}},
     {{"ask", less},
      {"nominal-quota", {}},
      {"lending-limit", {}},
      {"cohort-quota", {}},
      {"leave", ended}},
     {{"lending-limit", "lendingLimit of cpu of default in ClusterQueue theirs is 3 instead of 1"},
      {"cohort-quota", "nominalQuota of cpu of default in Cohort lab is 2 instead of 0"}}},
    {"who is more important",
     run_of({flavor(), cluster_queue("solo", "4", preempts_lower)},
            R"(    - pods:
        - {name: a, type: three, quota: solo, at: 0s, priority: 5}
        - {name: w, type: three, quota: solo, at: 10s}
)"),
     "w",
     "quota of default",
     "solo",
     {{"solo", 1}},
     {{"ask", less}, {"nominal-quota", {}}, {"leave", ended}, {"priority", more_urgent}},
     {{"priority", "its priority is 6 instead of 0; then a is preempted for it"}}},
    {"lent quota that nobody takes back",
     run_of({flavor(),
             cluster_queue("mine", "4", in_lab),
             cluster_queue("theirs", "4", in_lab),
             cohort_object},
            R"(    - pods:
        - {name: a, type: four, quota: theirs, at: 0s}
        - {name: b, type: three, quota: theirs, at: 1s}
        - {name: w, type: two, quota: mine, at: 10s}
)"),
     "w",
     "quota of default",
     "lab",
     {{"mine", 1}, {"theirs", 2}, {"lab", 3}},
     {{"ask", less},
      {"nominal-quota", {}},
      {"cohort-quota", {}},
      {"leave", ended},
      {"preemption", {"spec.scheduler.kueue.objects[1].spec.preemption={{field}: {to}}"}}},
     {{"preemption",
       "reclaimWithinCohort of ClusterQueue mine is Any instead of Never; then b is preempted for "
       "it"}}},
    {"a StrictFIFO queue",
     run_of({flavor(), cluster_queue("strict", "4", "queueingStrategy: StrictFIFO")},
            R"(    - pods:
        - {name: a, type: two, quota: strict, at: 0s}
        - {name: big, type: four, quota: strict, at: 5s}
        - {name: w, type: two, quota: strict, at: 10s}
)"),
     "w",
     "StrictFIFO, behind big",
     "",
     {{"strict", 1}},
     {{"nominal-quota", {}},
      {"first", {"spec.workload[0].pods[2].priority=1"}},
      {"priority", more_urgent}},
     {{"nominal-quota", "nominalQuota of cpu of default in ClusterQueue strict is 8 instead of 4"},
      {"first", "it stands first in ClusterQueue strict, before big"}}},
    {"a stopped queue",
     run_of({flavor(), cluster_queue("solo", "4", "stopPolicy: Hold")},
            "    - pods: [{name: w, type: two, quota: solo, at: 10s}]\n"),
     "w",
     "stopped ClusterQueue solo",
     "",
     {{"solo", 1}},
     {{"resume", {"spec.scheduler.kueue.objects[1].spec.stopPolicy=None"}}},
     {}},
    {"racks",
     run_of({topology("racks", {"example.com/rack"}),
             flavor_with_topology("tas", "all", "racks"),
             cluster_queue("all", {{"tas", "100"}}, preempts_lower)},
            R"(    - pods:
        - {name: a, type: four, quota: all, at: 0s, lifetime: 5s}
        - {name: b, type: four, quota: all, at: 1s}
        - {name: c, type: four, quota: all, at: 2s}
    - groups:
        - document:
            kind: GroupPlacement
            spec:
              group: {name: g, size: 2, type: four}
              constraints: [{level: rack, affinity: pack, soft: false, scope: group}]
          quota: all
          at: 10s
)",
            2),
     "g",
     "topology of tas",
     "",
     {{"all", 2}},
     {{"ask",
       {"spec.types.less={cpu: {to}}", "spec.workload[1].groups[0].document.spec.group.type=less"}},
      {"members", {"spec.workload[1].groups[0].document.spec.group.size={to}"}},
      {"min-available", {"spec.workload[1].groups[0].document.spec.group.minAvailable={to}"}},
      {"leave", ended},
      {"constraint", {"spec.workload[1].groups[0].document.spec.constraints[0].soft=true"}},
      {"priority", {"spec.workload[1].groups[0].priority={to}"}}},
     {{"constraint", "its constraint on rack is soft"}}},
};

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string filled(std::string text, const std::string& name, const std::string& value) {
    const std::string hole = "{" + name + "}";
    for (std::size_t at; (at = text.find(hole)) != std::string::npos;) {
        text.replace(at, hole.size(), value);
    }
    return text;
}

/// The settings that correspond to a change of quotas.
std::vector<std::string> quota_settings(const Case& tried, const Json& change) {
    std::vector<std::string> settings;
    for (const Json& quota : change["quotas"]) {
        const std::string name = text_of(quota[quota.contains("queue") ? "queue" : "cohort"]);
        settings.push_back(
            fmt::format("spec.scheduler.kueue.objects[{}].spec.resourceGroups[0].flavors[0]."
                        "resources[0].{}={}",
                        tried.objects.at(name),
                        text_of(quota["field"]),
                        text_of(quota["to"])));
    }
    return settings;
}

std::vector<std::string> settings_of(const Case& tried, const Json& change) {
    std::vector<std::string> settings = tried.settings.at(change["kind"]);
    if (settings.empty()) {
        return quota_settings(tried, change);
    }
    // The job asked about is the last one of its pods.
    const std::string& text = tried.experiment;
    std::size_t pods = 0;
    for (std::size_t at = text.find("{name: ", text.find("- pods:"));
         at != std::string::npos && text.compare(at, 8, "{name: w") != 0;
         at = text.find("{name: ", at + 1)) {
        ++pods;
    }
    for (std::string& setting : settings) {
        for (const char* key : {"to", "field"}) {
            setting = change.contains(key) ? filled(setting, key, text_of(change[key])) : setting;
        }
        if (change["kind"] == "leave") {
            REQUIRE(change["jobs"].size() == 1);  // a pod with a name of one letter
            setting = filled(setting, "index", std::to_string(text_of(change["jobs"][0])[0] - 'a'));
        }
        setting = filled(setting, "w", std::to_string(pods));
    }
    return settings;
}

Json why_of(const Folder& folder, const std::string& experiment, const std::string& job) {
    folder.write("tiny.yaml", experiment);
    done(folder, {"run", "tiny.yaml", "-o", "out", "--quiet", "--check-invariants"});
    return Json::parse(done(folder, {"why", "out", job, "--json"}));
}

/// The time at which the job got its quota in the changed run.
std::string admitted_at(const Folder& folder, const std::string& job) {
    for (const CsvRow& row : csv_rows(folder.read("changed/jobs.csv"))) {
        if (row.at("job") == job) {
            return row.at("admitted_s");
        }
    }
    return "nobody";
}

/// The node of the tree that refuses the request, found in the shortages from the job's queue
/// upwards.
std::string refusing(const Json& kueue) {
    for (const Json& shortage : kueue["shortages"]) {
        for (const Json& quota : shortage["quotas"]) {
            if (quota["refuses"] != "") {
                return text_of(quota[quota.contains("queue") ? "queue" : "cohort"]);
            }
        }
    }
    return "";
}

}  // namespace

TEST_CASE("kueue why: each change that it proposes admits the job", "[kueue][why]") {
    const Case& tried = GENERATE(from_range(cases));
    CAPTURE(tried.what);
    const Folder folder;
    const Json why = why_of(folder, tried.experiment, tried.job);
    CAPTURE(why.dump(1));
    CHECK(why["differs"].is_null());
    CHECK(why["outcome"] == "waiting");
    CHECK(why["story"].back()["stage"] == "admission");
    CHECK(why["story"].back()["subject"] == tried.subject);
    const Json& last = why["last_failure"];
    CHECK(last["at_s"] == 10);
    CHECK(refusing(last["kueue"]) == tried.refuses);
    const std::string text = done(folder, {"why", "out", tried.job});
    CAPTURE(text);
    CHECK_THAT(text, Catch::Contains("stopped at admission: " + tried.subject));
    std::set<std::string> kinds;
    for (const Json& change : last["changes"]) {
        CAPTURE(change.dump());
        const std::string kind = change["kind"];
        kinds.insert(kind);
        CHECK_THAT(text, Catch::Contains(text_of(change["text"])));
        if (tried.texts.contains(kind)) {
            CHECK(change["text"] == tried.texts.at(kind));
        }
        if (!tried.settings.contains(kind)) {
            FAIL_CHECK("no way to try it");
            continue;
        }
        Arguments arguments{"run", "tiny.yaml", "-o", "changed", "--quiet"};
        for (const std::string& setting : settings_of(tried, change)) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        CAPTURE(arguments);
        done(folder, arguments);
        CHECK(admitted_at(folder, tried.job) == "10");
    }
    std::set<std::string> expected;
    for (const auto& [kind, setting] : tried.settings) {
        expected.insert(kind);
    }
    CHECK(kinds == expected);
}

TEST_CASE("kueue why: who holds what it lacks, and where on the way up it is refused",
          "[kueue][why]") {
    const Folder folder;
    const KueueObjects objects{flavor(),
                               cluster_queue("mine", "4", in_lab),
                               cluster_queue("theirs", "4, borrowingLimit: 3", in_lab),
                               cohort_object};
    const Json why = why_of(folder,
                            run_of(objects, R"(    - pods:
        - {name: a, type: four, quota: theirs, at: 0s}
        - {name: b, type: three, quota: theirs, at: 1s}
        - {name: w, type: two, quota: mine, at: 10s}
        - {name: x, type: two, quota: mine, at: 11s}
)"),
                            "x");
    CAPTURE(why.dump(1));
    // x is parked with w, which asks for the same and was considered in its place.
    CHECK(why["story"].back()["subject"] == "quota of default, parked with equals");
    const Json& last = why["last_failure"];
    CHECK(last["waiting_before"] == 1);
    CHECK(last["kueue"]["queue"] == "mine");
    CHECK(last["kueue"]["parked"] == true);
    CHECK(last["kueue"]["equals"] == 1);
    CHECK(last["kueue"]["offered_again_s"].is_null());
    REQUIRE(last["kueue"]["shortages"].size() == 1);
    const Json& shortage = last["kueue"]["shortages"][0];
    CHECK(shortage["asked"] == "2");
    CHECK(shortage["available"] == "1");
    CHECK(shortage["most"] == "8");
    CHECK(shortage["quotas"] == Json::parse(R"([
        {"queue": "mine", "above": true, "nominal": "4", "borrowing_limit": "", "lending_limit": "",
         "used": "0", "borrowed": "0", "available": "1", "refuses": ""},
        {"cohort": "lab", "above": true, "nominal": "0", "borrowing_limit": "", "lending_limit": "",
         "used": "7", "borrowed": "0", "available": "1", "refuses": "it has no 2 left"},
        {"queue": "theirs", "above": false, "nominal": "4", "borrowing_limit": "3",
         "lending_limit": "", "used": "7", "borrowed": "3", "available": "0", "refuses": ""}])"));
    const Json& held = last["held"];
    REQUIRE(held.size() == 1);
    CHECK(held[0]["where"] == "cpu of default in Cohort lab");
    REQUIRE(held[0]["holders"].size() == 2);
    CHECK(held[0]["holders"][0]["job"] == "a");
    CHECK(held[0]["holders"][0]["quota"] == "theirs");
    CHECK(held[0]["holders"][0]["amounts"] == "cpu 4");
    CHECK(held[0]["holders"][1]["since_s"] == 1);
    // With a larger quota, w, which comes before it, is considered first.
    for (const Json& change : last["changes"]) {
        if (change["kind"] == "nominal-quota") {
            CHECK(change["quotas"][0]["to"] == "7");
        }
    }
    CHECK_THAT(done(folder, {"why", "out", "x"}),
               Catch::Contains("parked with 1 more that asks for the same") &&
                   Catch::Contains("cpu of flavor default: it asks for 2, 1 could be had\n") &&
                   Catch::Contains("<- it has no 2 left\n") &&
                   Catch::Contains("      a: cpu 4, quota theirs, since 0 s\n"));
}

TEST_CASE("kueue why: a topology's levels, and who is in the best domain", "[kueue][why]") {
    const Folder folder;
    const Json why = why_of(folder, cases.back().experiment, "g");
    CAPTURE(why.dump(1));
    const Json& last = why["last_failure"];
    CHECK(last["kueue"]["shortages"].empty());
    CHECK(last["kueue"]["levels"] == Json::parse(R"([
        {"flavor": "tas", "level": "example.com/rack", "asked": "required", "domains": 2,
         "with_room": 2, "most": 1, "best": "cluster/zone-0/rack-0"},
        {"flavor": "tas", "level": "kubernetes.io/hostname", "asked": "", "domains": 4,
         "with_room": 2, "most": 1, "best": "cluster/zone-0/rack-0/server-0"}])"));
    REQUIRE(last["held"].size() == 1);
    CHECK(last["held"][0]["lacking"] == "has room for 1 of 2 pods");
    CHECK(last["held"][0]["holders"][0]["job"] == "b");
}

TEST_CASE("kueue why: what comes anyway needs no change", "[kueue][why]") {
    const Folder folder;
    const Json preempting = why_of(folder,
                                   run_of({flavor(), cluster_queue("solo", "4", preempts_lower)},
                                          R"(    - pods:
        - {name: a, type: three, quota: solo, at: 0s}
        - {name: w, type: three, quota: solo, at: 10s, priority: 1}
)",
                                          8,
                                          "      grace: 30s\n"),
                                   "w");
    CAPTURE(preempting.dump(1));
    CHECK(preempting["story"][0]["subject"] == "preempted workloads that have not stopped yet");
    const Json& waits = preempting["last_failure"]["changes"];
    REQUIRE(waits.size() == 1);
    CHECK(waits[0]["kind"] == "wait");
    CHECK(waits[0]["preempts"] == Json({"a"}));
    CHECK(preempting["start_s"] == 40);
}
