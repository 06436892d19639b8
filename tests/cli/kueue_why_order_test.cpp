// Which jobs are offered before a job that waits in Kueue, as `berth why` tells it.

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

const std::string preempts_lower = "preemption: {withinClusterQueue: LowerPriority}";

/// Runs for half a minute, with a longer grace period, and asks about a job. Returns what is told
/// about the failed attempt at the end.
Json asked(const Folder& folder,
           const KueueObjects& objects,
           const std::string& pods,
           const std::string& job) {
    const KueueExperiment preempting{.servers = 1,
                                     .types = "three: {cpu: 3}",
                                     .pods = pods,
                                     .kueue = "{file: kueue.yaml, grace: 1h}",
                                     .more = "  until: 30s\n"};
    folder.write("kueue.yaml", kueue_file(objects));
    folder.write("run.yaml", preempting.text());
    run_kueue(folder);
    return Json::parse(done(folder, {"why", "out", job, "--json"})).at("last_failure");
}

}  // namespace

TEST_CASE("kueue why: who has others preempted is offered first in its queue", "[kueue][why]") {
    // p waits for a to stop; q is more important and comes meanwhile.
    const std::string pods = R"(        - {name: a, type: three, quota: all, lifetime: 2h}
        - {name: p, type: three, quota: all, at: 10s, priority: 1}
        - {name: q, type: three, quota: all, at: 15s, priority: 2}
)";
    const auto [strategy, before_p, before_q] =
        GENERATE(std::tuple("BestEffortFIFO", 0, 1), std::tuple("StrictFIFO", 1, 0));
    const Folder folder;
    const KueueObjects objects{
        flavor(),
        cluster_queue("all", "4", preempts_lower + ", queueingStrategy: " + std::string(strategy))};
    CAPTURE(strategy);
    CHECK(asked(folder, objects, pods, "p").at("waiting_before") == before_p);
    CHECK(asked(folder, objects, pods, "q").at("waiting_before") == before_q);
}

TEST_CASE("kueue why: whose LocalQueue used less is offered before who preempts", "[kueue][why]") {
    // p waits for a to stop; both belong to a LocalQueue that used something, while that of w used
    // nothing.
    const std::string pods = R"(        - {name: a, type: three, quota: heavy, lifetime: 2h}
        - {name: p, type: three, quota: heavy, at: 10s, priority: 1}
        - {name: w, type: three, quota: light, at: 15s}
)";
    const auto [mode, before] = GENERATE(std::pair("UsageBasedAdmissionFairSharing", 0),
                                         std::pair("NoAdmissionFairSharing", 1));
    const Folder folder;
    const Json told =
        asked(folder,
              {configuration("admissionFairSharing: {usageHalfLifeTime: 1h}"),
               flavor(),
               cluster_queue(
                   "all",
                   "4",
                   preempts_lower + ", admissionScope: {admissionMode: " + std::string(mode) + "}"),
               local_queue("heavy", "all"),
               local_queue("light", "all")},
              pods,
              "w");
    CAPTURE(mode, told.dump());
    CHECK(told.at("waiting_before") == before);
}

TEST_CASE("kueue why: who waits for a LocalQueue that is stopped has no quota", "[kueue][why]") {
    const Folder folder;
    const Json told =
        asked(folder,
              {flavor(), cluster_queue("all", "4"), local_queue("held", "all", "stopPolicy: Hold")},
              "        - {name: w, type: three, quota: held, at: 5s}\n",
              "w");
    CAPTURE(told.dump());
    CHECK(told.at("subject") == "stopped LocalQueue");
    CHECK(told.at("not_tried") == Json({"any change, since it waits for: stopped LocalQueue"}));
}
