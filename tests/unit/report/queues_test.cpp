#include "schedulers/kueue/tables/queues.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/support/source.hpp"
#include "schedulers/kueue/page/queue_page.hpp"
#include "tests/support/folder.hpp"

using namespace berth::report;
using berth::tests::TestFolder;
using Catch::Matchers::Contains;

namespace {

const std::string objects_header =
    "time_s,kind,name,parent,stop_policy,weight,flavor,topology,resource,nominal,borrowing_limit,"
    "lending_limit\n";
const std::string stays_header =
    "replication,job,cluster_queue,local_queue,queued_s,admitted_s,from_s,told_s,until_s,end,"
    "members,amounts,preemptor,preemptor_queue,reason\n";

/// A Cohort with 4 GPUs of its own, and two ClusterQueues of 4, of which b has a weight of 2.
const std::string two_queues =
    "0,Cohort,lab,,,1,spot,,gpu,4,,\n"
    "0,ClusterQueue,a,lab,None,1,spot,,gpu,4,,\n"
    "0,ClusterQueue,b,lab,None,2,spot,,gpu,4,,\n";

std::optional<Queues> queues_of(const std::string& objects,
                                const std::string& stays,
                                std::optional<double> end_s = 100) {
    const TestFolder folder;
    folder.write("cluster_queues.csv", objects_header + objects);
    folder.write("admissions.csv", stays_header + stays);
    return read_queues(folder.path(), end_s);
}

/// The steps of a quota, each as `time:used`.
std::string used(const Queues& queues, const std::string& name, std::size_t resource = 0) {
    std::string out;
    for (const Quota& quota : queues.quotas.quotas) {
        for (std::size_t i = 0; quota.name == name && i < quota.steps[resource].size(); ++i) {
            const QuotaStep& step = quota.steps[resource][i];
            out += std::to_string(std::lround(step.time_s)) + ":" +
                   std::to_string(std::lround(step.used)) + " ";
        }
    }
    return out;
}

std::string values(const std::vector<ValueStep>& steps) {
    std::string out;
    for (const ValueStep& step : steps) {
        out += std::to_string(std::lround(step.time_s)) + ":" +
               std::to_string(std::lround(1000 * step.value)) + " ";
    }
    return out;
}

}  // namespace

TEST_CASE("queues: what jobs held is what queues used, and Cohorts have the sums",
          "[report][queues]") {
    const auto queues = queues_of(two_queues,
                                  "0,x,a,,0,5,5,20,25,preempted,1,spot:gpu=6,y,b,"
                                  "InCohortReclamation\n"
                                  "0,y,b,,20,25,25,,40,ended,1,spot:gpu=3,,,\n"
                                  "0,z,a,,30,,,,,,,,,,no room\n"
                                  "1,x,a,,0,7,7,,9,ended,1,spot:gpu=6,,,\n");
    REQUIRE(queues);
    CHECK(queues->quotas.resources == std::vector<std::string>{"gpu"});
    CHECK(queues->quotas.quotas[0].name == "lab");
    CHECK(used(*queues, "a") == "0:0 5:6 25:0 ");
    CHECK(used(*queues, "b") == "0:0 25:3 40:0 ");
    CHECK(used(*queues, "lab") == "0:0 5:6 25:3 40:0 ");
    CHECK(queues->quotas.quotas[0].steps[0][0].min == 12);  // its own and those below it
    CHECK(queues->quotas.quotas[1].steps[0][0].max == 12);  // all of it, if no other queue used any
    CHECK(queues->quotas.last_s == 100);
    CHECK(values(queues->waiting[1]) == "0:1000 5:0 30:1000 ");
    CHECK(values(queues->waiting[2]) == "0:0 20:1000 25:0 ");
    REQUIRE(queues->preempted.size() == 1);
    CHECK(queues->preempted[0].preemptor == "y");

    const QueueTally& tally = queues->tally;
    CHECK(tally.replications == 2);
    CHECK(tally.all.admitted == 3);
    CHECK(tally.all.waiting == 1);
    CHECK(tally.by_cluster_queue.at("a").preempted == 1);
    CHECK(tally.preempted.at({"b", "a", "InCohortReclamation"}) == 1);
    CHECK(tally.in_vain.at({"a", "no room"}) == 1);
}

TEST_CASE("queues: shares are what a queue borrows of what its Cohort could lend, by its weight",
          "[report][queues]") {
    const auto queues = queues_of(two_queues,
                                  "0,x,a,,0,5,5,,50,ended,1,spot:gpu=7,,,\n"
                                  "0,y,b,,0,10,10,,50,ended,1,spot:gpu=5,,,\n");
    REQUIRE(queues);
    CHECK(queues->shares[0].empty());                       // nothing is lent to the root
    CHECK(values(queues->shares[1]) == "0:0 5:250 50:0 ");  // 3 of 12
    CHECK(values(queues->shares[2]) == "0:0 10:42 50:0 ");  // 1 of 12, by 2
}

TEST_CASE("queues: a queue of several flavors has them together and each", "[report][queues]") {
    const auto queues = queues_of(
        "0,ClusterQueue,a,,None,,spot,racks,gpu,4,3,2\n"
        "0,ClusterQueue,a,,None,,owned,,gpu,8,,\n"
        "0,ClusterQueue,a,,None,,owned,,cpu,2.5,,\n",
        "0,x,a,,0,0,0,,9,ended,1,spot:gpu=1 owned:gpu=2 owned:cpu=0.5,"
        ",,\n");
    REQUIRE(queues);
    CHECK(queues->quotas.resources ==
          std::vector<std::string>{"gpu", "gpu of spot", "gpu of owned", "cpu"});
    CHECK(queues->quotas.quotas[0].name == "all ClusterQueues");
    CHECK(used(*queues, "a", 0) == "0:3 9:0 ");
    CHECK(used(*queues, "a", 1) == "0:1 9:0 ");
    CHECK(used(*queues, "a", 2) == "0:2 9:0 ");
    CHECK(queues->quotas.quotas[1].steps[3][0].used == 0.5);
    CHECK(queues->quotas.quotas[1].steps[3][0].max == 2.5);
    CHECK(queues->quotas.quotas[1].steps[0][0].min == 12);
    // Only one of the flavors has limits.
    CHECK_FALSE(queues->borrowing_limits[1][0]);
    CHECK_FALSE(queues->lending_limits[1][0]);
    CHECK(queues->borrowing_limits[1][1] == 3.0);
    CHECK(queues->lending_limits[1][1] == 2.0);
}

TEST_CASE("queues: parts of cores add up exactly", "[report][queues]") {
    const auto queues = queues_of("0,ClusterQueue,a,,None,,spot,,cpu,0.3,,\n",
                                  "0,x,a,,0,0,0,,20,ended,1,spot:cpu=0.1,,,\n"
                                  "0,y,a,,0,5,5,,20,ended,1,spot:cpu=0.2,,,\n");
    REQUIRE(queues);
    const auto& steps = queues->quotas.quotas[1].steps[0];
    REQUIRE(steps.size() == 3);
    CHECK(steps[1].used == 0.3);
    CHECK(steps[1].used == steps[1].min);  // the queue does not borrow
    CHECK(steps[2].used == 0);
}

TEST_CASE("queues: a message is one whatever the amounts in it are", "[report][queues]") {
    const RunDirectory run;
    Queues queues;
    QueueTally& tally = queues.tally;
    tally.replications = 1;
    const auto message = [](int first, int second) {
        return fmt::format(
            "insufficient unused quota for cpu in flavor a, {} more needed, "
            "insufficient unused quota for cpu in flavor b, {} more needed.",
            first,
            second);
    };
    tally.in_vain[{"q", message(1, 2)}] = 1;
    tally.in_vain[{"q", message(2, 1)}] = 2;
    CHECK(queue_limits(run, queues).back() ==
          "3 jobs got no quota in the end; Kueue says: insufficient unused quota for cpu in flavor "
          "a, insufficient unused quota for cpu in flavor b.");
}

TEST_CASE("queues: objects change, and who held quota keeps it", "[report][queues]") {
    const auto queues = queues_of(two_queues +
                                      "10,ClusterQueue,a,other,Hold,,spot,,gpu,1,2,1\n"
                                      "10,Cohort,other,,,,,,,,,\n",
                                  "0,x,a,,0,5,5,,50,ended,1,spot:gpu=3,,,\n");
    REQUIRE(queues);
    CHECK(queues->quotas.quotas[0].name == "all ClusterQueues");  // since there are two trees later
    CHECK(used(*queues, "lab") == "0:0 5:3 10:0 ");
    CHECK(used(*queues, "other") == "0:0 10:3 50:0 ");
    const std::uint32_t a = 3;
    CHECK(queues->quotas.quotas[a].name == "a");
    CHECK(queues->quotas.quotas[a].steps[0].back().min == 1);
    CHECK(queues->quotas.quotas[a].parents.size() == 2);
    CHECK(queues->stop_policies[a] == "Hold");
    CHECK(queues->borrowing_limits[a][0] == 2.0);
    CHECK(queues->lending_limits[a][0] == 1.0);
}

TEST_CASE("queues: LocalQueues are told apart where a ClusterQueue has several",
          "[report][queues]") {
    const std::string locals =
        "0,LocalQueue,x/one,a,None,,,,,,,\n0,LocalQueue,x/two,a,None,,,,,,,\n"
        "0,LocalQueue,x/only,b,None,,,,,,,\n";
    const auto queues = queues_of(two_queues + locals,
                                  "0,j,a,x/two,0,5,5,,20,reduced,2,spot:gpu=2,,,\n"
                                  "0,j,a,x/two,0,5,20,,30,ended,1,spot:gpu=1,,,\n");
    REQUIRE(queues);
    CHECK(used(*queues, "x/two") == "0:0 5:2 20:1 30:0 ");
    CHECK(used(*queues, "a") == "0:0 5:2 20:1 30:0 ");
    CHECK(used(*queues, "x/only").empty());
    CHECK(queues->tally.by_local_queue.at("x/two").admitted == 1);  // j is admitted only once
    CHECK(std::isnan(queues->quotas.quotas[3].steps[0][0].min));
}

TEST_CASE("queues: Cohorts in a circle are roots", "[report][queues]") {
    const auto queues = queues_of(
        "0,Cohort,one,two,,,,,,,,\n0,Cohort,two,one,,,,,,,,\n"
        "0,ClusterQueue,a,one,None,,spot,,gpu,4,,\n",
        "0,x,a,,0,,,,,,,,,,stopped\n");
    REQUIRE(queues);
    CHECK(queues->quotas.quotas[0].name == "all ClusterQueues");
    CHECK(queues->tally.all.waiting == 1);
}

TEST_CASE("queues: mistakes are told with their places", "[report][queues]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [objects, stays, message] = GENERATE(table<std::string, std::string, std::string>({
        Row{"0,Queue,a,,,,,,,,,\n", "", "cluster_queues.csv:2:3: error: 'Queue': expected Cohort"},
        Row{"0,Cohort,,,,,,,,,,\n", "", "cluster_queues.csv:2:10: error: an object without a name"},
        Row{"5,Cohort,a,,,,,,,,,\n0,Cohort,b,,,,,,,,,\n",
            "",
            "cluster_queues.csv:3:1: error: the time goes back"},
        Row{"0,Cohort,a,,,,f,,gpu,-1,,\n", "", "error: an amount below 0: expected 0 or more"},
        Row{two_queues, "0,x,c,,0,,,,,,,,,,\n", "admissions.csv:2:5: error: 'c': expected a Clu"},
        Row{two_queues,
            "0,x,a,,0,5,,,,,,,,,\n",
            "an admitted job has no from_s: expected the time since"},
        Row{two_queues, "0,x,a,,9,5,5,,,,,,,,\n", "admissions.csv:2:10: error: the time goes back"},
        Row{two_queues, "0,x,a,,0,5,5,,,,1,gpu=1,,,\n", "'gpu=1': expected FLAVOR:RESOURCE=NUMBER"},
        Row{two_queues, "0,x,a,,0,5,5,,,,1,f:gpu=-1,,,\n", "'f:gpu=-1': expected FLAVOR:RESOUR"},
        Row{two_queues, "0,x,a,,0,5,5,,9,preempted,1,,y,c,\n", "error: 'c': expected a ClusterQu"},
    }));
    CHECK_THROWS_WITH(queues_of(objects, stays), Contains(message));
}

TEST_CASE("queues: a run without one of the files has none", "[report][queues]") {
    const TestFolder folder;
    folder.write("admissions.csv", stays_header);
    CHECK_FALSE(read_queues(folder.path(), std::nullopt));
}

TEST_CASE("queues: without an object by the end all there is are quotas below a root",
          "[report][queues]") {
    CHECK(queues_of("", "")->quotas.quotas.at(0).last_parent() == no_quota);
    const auto late = queues_of("200,ClusterQueue,a,,None,1,spot,,gpu,4,,\n", "");
    CHECK(late->quotas.quotas.at(0).last_parent() == no_quota);
    CHECK(late->quotas.quotas.at(1).last_parent() == 0);
    CHECK(used(*late, "a") == "100:0 ");
}
