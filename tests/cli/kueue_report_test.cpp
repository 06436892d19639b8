#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;
using Catch::Matchers::Contains;

namespace {

/// Two teams in one cohort; team-a takes back what it lent.
std::string two_teams() {
    return kueue_file({flavor(),
                       cluster_queue("team-a",
                                     "2500m, borrowingLimit: 1",
                                     "cohortName: lab, preemption: {reclaimWithinCohort: Any}"),
                       cluster_queue("team-b", "1500m, lendingLimit: 1", "cohortName: lab"),
                       local_queue("a", "team-a"),
                       local_queue("b", "team-b")});
}

const KueueExperiment teams{.types = "one: {cpu: 1}, many: {cpu: 7}",
                            .pods =
                                R"(        - {name: b, type: one, count: 4, lifetime: 1h, quota: b}
        - {name: a, type: one, at: 10s, lifetime: 10m, quota: a}
        - {name: big, type: many, at: 30s, lifetime: 10m, quota: a}
)",
                            .kueue = "{file: kueue.yaml, grace: 5s}",
                            .more = "  until: 20m\n"};

/// The data of the first run of a page.
nlohmann::json page_of(const Folder& folder, const Arguments& runs) {
    Arguments report{"report"};
    report.insert(report.end(), runs.begin(), runs.end());
    report.insert(report.end(), {"-o", "page.html"});
    (void)done(folder, report);
    const std::string page = folder.read("page.html");
    const std::string mark = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(mark) + mark.size();
    return nlohmann::json::parse(
        page.substr(begin, page.find("</script>", begin) - begin))["runs"][0];
}

}  // namespace

TEST_CASE("kueue report: who held quota from when to when, and for whom it was taken", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    folder.write("run.yaml", teams.text());
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out", "--quiet"});
    const std::string message =
        "\"couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, "
        "previously considered podsets requests (0) + current podset request (7) > maximum "
        "capacity (3500m).\"";
    CHECK(folder.read("out/admissions.csv") ==
          "replication,job,cluster_queue,local_queue,queued_s,admitted_s,from_s,told_s,until_s,end,"
          "members,amounts,preemptor,preemptor_queue,reason\n"
          "0,b-0,team-b,default/b,0,0,0,10,15,preempted,1,default:cpu=1,a,team-a,"
          "InCohortReclamation\n"
          "0,a,team-a,default/a,10,15,15,,615,ended,1,default:cpu=1,,,\n"
          "0,b-0,team-b,default/b,15,616,616,,,,1,default:cpu=1,,,\n"
          "0,b-1,team-b,default/b,0,0,0,,,,1,default:cpu=1,,,\n"
          "0,b-2,team-b,default/b,0,0,0,,,,1,default:cpu=1,,,\n"
          "0,b-3,team-b,default/b,0,0,0,,,,1,default:cpu=1,,,\n"
          "0,big,team-a,default/a,30,,,,,,,,,," +
              message + "\n");
    CHECK(folder.read("out/cluster_queues.csv") ==
          "time_s,kind,name,parent,stop_policy,weight,flavor,topology,resource,nominal,"
          "borrowing_limit,lending_limit\n"
          "0,Cohort,lab,,,,,,,,,\n"
          "0,ClusterQueue,team-a,lab,None,,default,,cpu,2.5,1,\n"
          "0,ClusterQueue,team-b,lab,None,,default,,cpu,1.5,,1\n"
          "0,LocalQueue,default/a,team-a,None,,,,,,,\n"
          "0,LocalQueue,default/b,team-b,None,,,,,,,\n");
}

TEST_CASE("kueue report: the page has the queues, who was preempted, and why others wait",
          "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_teams());
    folder.write("run.yaml", teams.text());
    (void)done(folder, {"run", "run.yaml", "-o", "out", "--quiet"});
    const nlohmann::json run = page_of(folder, {"out"});
    const nlohmann::json& queues = run["queues"];
    CHECK(queues["names"] == nlohmann::json::parse(R"(["lab", "team-a", "team-b"])"));
    CHECK(queues["chosen"] == 2);  // the queue that borrows
    // 2.5 cores for 15 s, 1.5 cores until 616 s, and 2.5 cores until the end, in core-hours.
    CHECK(queues["loans"] ==
          nlohmann::json::parse(R"([{"parent": 0, "resource": 0, "rows": [[1, 2, 0.666389]]}])"));
    CHECK(queues["kueue"]["kinds"] ==
          nlohmann::json::parse(R"(["Cohort", "ClusterQueue", "ClusterQueue"])"));
    // team-b uses 4 cores and borrows some of them until it is told to stop, and again once the
    // other job has ended.
    CHECK(queues["series"][2][0]["time"] == nlohmann::json::parse("[0, 15, 616]"));
    CHECK(queues["series"][2][0]["used"] == nlohmann::json::parse("[4, 3, 4]"));
    CHECK(queues["series"][2][0]["min"] == 1.5);
    CHECK(queues["series"][1][0]["max"] == 3.5);  // includes its borrowing limit
    CHECK(queues["kueue"]["all"] == nlohmann::json::parse("[6, 1, 0, 1]"));
    CHECK(queues["kueue"]["preempted"] ==
          nlohmann::json::parse(R"([["team-a", "team-b", "InCohortReclamation", 1]])"));
    CHECK(queues["kueue"]["preemptedRows"] == 1);
    CHECK(queues["kueue"]["reasons"] == nlohmann::json::parse(R"([["InCohortReclamation", 1]])"));
    CHECK(queues["kueue"]["inVainRows"] == 1);
    CHECK(queues["kueue"]["preemptions"]["rows"] ==
          nlohmann::json::parse(R"([[10, "b-0", 2, "a", 1, "InCohortReclamation", 10]])"));
    CHECK(queues["kueue"]["inVain"][0][0] == "team-a");
    CHECK(queues["kueue"]["waiting"][1]["time"] == nlohmann::json::parse("[0, 10, 15, 30]"));

    std::string limits;
    for (const nlohmann::json& sentence : run["answer"]["limits"]) {
        limits += sentence.get<std::string>() + "\n";
    }
    CHECK_THAT(limits,
               Contains("Kueue admitted jobs 6 times and preempted 1: 1 to take back quota within "
                        "the cohort (InCohortReclamation).") &&
                   Contains("Of the ClusterQueues, jobs of team-a waited longest for quota: ") &&
                   Contains("1 job got no quota in the end; Kueue says: couldn't assign flavors"));
    CHECK_THAT(run["answer"]["question"].get<std::string>(),
               Contains("admitted by Kueue, placed by least-allocated"));
}

TEST_CASE("kueue report: ClusterQueues without any quota have no part in the page", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: none}
spec: {namespaceSelector: {}}
)");
    KueueExperiment none;
    none.pods = "        - {name: a, type: one, lifetime: 1h, quota: none}\n";
    folder.write("run.yaml", none.text());

    (void)folder.berth({"run", "run.yaml", "-o", "out", "--quiet"});
    const nlohmann::json run = page_of(folder, {"out"});
    CHECK_FALSE(run.contains("queues"));
    CHECK_THAT(run["answer"]["limits"].dump(), Contains("1 job got no quota in the end"));
}

TEST_CASE("kueue report: a flavor's topology places, and groups say where they asked to lie",
          "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml",
                 kueue_file({topology("racks", {"x/rack"}),
                             flavor_with_topology("packed", "p", "racks"),
                             cluster_queue("q", {{"packed", "8"}})}));
    KueueExperiment gangs{.types = "two: {cpu: 2}", .workload = R"(    - groups:
        - {document: {kind: GroupPlacement, spec: {group: {name: strict, size: 2, type: two},
            constraints: [{level: rack, affinity: pack, soft: false}]}},
           at: 0s, lifetime: 1h, quota: q}
        - {document: {kind: GroupPlacement, spec: {group: {name: lenient, size: 1, type: two},
            constraints: [{level: rack, affinity: pack, soft: true}]}},
           at: 1s, lifetime: 10m, quota: q}
        - {document: {kind: GroupPlacement, spec: {group: {name: any, size: 1, type: two}}},
           at: 2s, lifetime: 10m, quota: q}
)"};
    gangs.cluster = replaced(two_racks(2, 2), "{cpu: 2}}", "{cpu: 2}, labels: {pool: p}}");
    folder.write("run.yaml", gangs.text());

    (void)done(folder, {"run", "run.yaml", "-o", "out", "--quiet"});
    CHECK_THAT(folder.read("out/groups.csv"),
               Contains(",cpu=2,required rack\n") && Contains(",cpu=2,preferred rack\n") &&
                   Contains(",cpu=2,\n"));
    CHECK_THAT(folder.read("out/cluster_queues.csv"), Contains(",packed,racks,cpu,8,,\n"));
    const nlohmann::json run = page_of(folder, {"out"});
    CHECK_THAT(run["answer"]["question"].get<std::string>(),
               Contains("admitted by Kueue, placed by the topology of flavor packed."));
    CHECK(run["groups"]["columns"].back() == "asked");
}
