#include <catch2/catch.hpp>

#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

/// Racks and servers by the labels of a topology, and a queue with quota for four pods.
std::string objects(const std::string& rack_label = "cloud.example.com/topology-rack",
                    const std::string& more = "") {
    return kueue_file(
        {topology("default", {rack_label}),
         flavor_with_topology("tas", "gpu", "default"),
         cluster_queue(
             "all", {{"tas", "8"}}, "preemption: {withinClusterQueue: LowerPriority}" + more)});
}

const std::string one_rack = "{level: rack, affinity: pack, soft: false}";

/// Two racks with two servers, each of which fits one pod; rack 0 and half of rack 1 are taken, and
/// half of rack 0 is given back after 10 min. Then a gang of two with this constraint comes.
KueueExperiment racks(const std::string& constraint, const std::string& of_gang = "") {
    return {.types = "two: {cpu: 2}",
            .pods = R"(        - {name: a, type: two, lifetime: 10m, quota: all}
        - {name: b, type: two, at: 1s, lifetime: 1h, quota: all}
        - {name: c, type: two, at: 2s, lifetime: 1h, quota: all}
)",
            .workload = "    - groups: [{name: gang, at: 700s, lifetime: 10m, quota: all" +
                        of_gang +
                        ", document: {spec: {group: {size: 2, type: two}, constraints: [" +
                        constraint + "]}}}]\n",
            .cluster = two_racks(2, 2)};
}

void fill(const Folder& folder, const KueueExperiment& experiment) {
    folder.write("kueue.yaml", objects());
    folder.write("run.yaml", experiment.text());
}

/// Replaces all occurrences in a text.
std::string exchanged(std::string text, const std::string& part, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size()) {
        text.replace(at, part.size(), by);
    }
    return text;
}

}  // namespace

TEST_CASE("kueue topology: a gang that requires one rack waits for it", "[kueue]") {
    const Folder folder;
    fill(folder, racks(one_rack));
    auto jobs = jobs_of_run(folder);
    // Two servers in two racks are free until b ends at 3601 s.
    CHECK(jobs.at("gang").at("start_s") == "3602");
    CHECK(jobs.at("gang").at("admitted_s") == "3602");
    CHECK(jobs.at("b").at("preempted") == "0");
    CHECK_THAT(done(folder, {"why", "out", "gang"}),
               Catch::Contains("topology \"default\" allows to fit only 1 out of 2 pod(s)"));
}

TEST_CASE("kueue topology: a gang that prefers one rack takes two", "[kueue]") {
    const Folder folder;
    fill(folder, racks("{level: rack, affinity: pack, soft: true}"));
    CHECK(jobs_of_run(folder).at("gang").at("start_s") == "700");
    auto pods = rows_by(folder, "pods.csv", "pod");
    CHECK(pods.at("gang-0").at("node") == pods.at("a").at("node"));
    CHECK(pods.at("gang-1").at("node") != pods.at("c").at("node"));
}

TEST_CASE("kueue topology: who lies in the way is preempted though quota suffices", "[kueue]") {
    const Folder folder;
    fill(folder, racks(one_rack, ", priority: 5"));
    auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("gang").at("start_s") == "700");
    // Of two suitable victims, the one that was admitted last is preempted, and it finds another
    // server.
    CHECK(jobs.at("c").at("preempted") == "1");
    CHECK(jobs.at("b").at("preempted") == "0");
    CHECK(jobs.at("c").at("admitted_s") == "700");
}

TEST_CASE("kueue topology: objects that no cluster can have are refused", "[kueue]") {
    struct Case {
        std::string from;
        std::string to;
        std::string message;
    };
    const auto [from, to, message] = GENERATE(
        Case{"topologyName: default", "topologyName: other", "a Topology among the objects"},
        Case{"nodeLabels: {pool: gpu}, ", "", "nodeLabels, as every flavor with a topology has"},
        Case{"topology-rack", "topology-row", "a label that ends in the name of a level (zone"},
        Case{", {nodeLabel: kubernetes.io/hostname}", "", "kubernetes.io/hostname as the lowest"},
        Case{"topology-rack}, {", "topology-rack}, {nodeLabel: a/zone}, {", "from the top down"});
    const Folder folder;
    fill(folder, racks(""));
    folder.write("kueue.yaml", replaced(objects(), from, to));
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains(message) && Catch::StartsWith("kueue.yaml:"));
}

TEST_CASE("kueue topology: a label may stand for a level of another name", "[kueue]") {
    KueueExperiment named = racks(one_rack);
    named.kueue = "{file: kueue.yaml, levels: {cloud.example.com/switch: rack}}";
    const Folder folder;
    folder.write("kueue.yaml", objects("cloud.example.com/switch"));
    folder.write("run.yaml", named.text());
    CHECK(jobs_of_run(folder).at("gang").at("start_s") == "3602");
}

TEST_CASE("kueue topology: constraints that Kueue does not know are refused", "[kueue]") {
    const Folder folder;
    fill(folder, racks("{level: server, affinity: spread, soft: true, min: 1, max: 1}"));
    const auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("gang").at("outcome") == "rejected");
    CHECK_THAT(jobs.at("gang").at("reason"), Catch::Contains("to pack them into one node"));
    // The advice about a missing queue does not help here.
    CHECK_THAT(folder.berth({"run", "run.yaml", "-o", "again"}).err,
               Catch::Contains("warning: rejected: Kueue cannot take 1 job") &&
                   !Catch::Contains("Name in quota"));
}

TEST_CASE("kueue topology: GPUs that nobody gives out one by one are counted", "[kueue]") {
    const Folder folder;
    KueueExperiment counted = racks(one_rack);
    counted.cluster =
        replaced(counted.cluster, "{cpu: 2}}", "{cpu: 2}, devices: {gpu: {count: 2}}}");
    counted.types = "two: {nvidia.com/gpu: 2}";
    fill(folder, counted);
    folder.write("kueue.yaml", exchanged(objects(), "cpu", "nvidia.com/gpu"));
    const auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("gang").at("start_s") == "3602");
    CHECK(jobs.at("gang").at("outcome") == "finished");
}

TEST_CASE("kueue topology: who loses its server is given another with new quota", "[kueue]") {
    const Folder folder;
    KueueExperiment failing = racks("");
    failing.more = "  failures: {file: failures.csv}\n";
    fill(folder, failing);
    folder.write("failures.csv", "time_s,component,event,cause\n");
    run_kueue(folder);
    const std::string lost = rows_by(folder, "pods.csv", "pod").at("b").at("node");
    folder.write(
        "failures.csv",
        "time_s,component,event,cause\n650," + lost + ",fail,\n9000," + lost + ",repair,\n");
    const auto jobs = jobs_of_run(folder);
    CHECK(jobs.at("b").at("node_failed") == "1");
    CHECK(jobs.at("b").at("start_s") == "650");
    CHECK(jobs.at("b").at("admitted_s") == "650");
    CHECK(rows_by(folder, "pods.csv", "pod").at("b").at("node") != lost);
}

TEST_CASE("kueue topology: who found no places is offered again when a server comes back",
          "[kueue]") {
    const Folder folder;
    KueueExperiment failing = racks(one_rack);
    // All jobs except the gang have ended by then, and no job gives quota back any more.
    failing.pods = exchanged(failing.pods, "lifetime: 1h", "lifetime: 1m");
    failing.more = R"(  failures:
    events:
      - {at: 690s, node: server-1, event: fail}
      - {at: 690s, node: server-3, event: fail}
      - {at: 9000s, node: server-3, event: repair}
)";
    fill(folder, failing);
    SECTION("a second later in a queue that parks") {
        CHECK(jobs_of_run(folder).at("gang").at("start_s") == "9001");
    }
    SECTION("at once in a strict one") {
        folder.write("kueue.yaml",
                     objects("cloud.example.com/topology-rack", ", queueingStrategy: StrictFIFO"));
        CHECK(jobs_of_run(folder).at("gang").at("start_s") == "9000");
    }
}

TEST_CASE("kueue topology: who found no places is offered again when others leave servers",
          "[kueue]") {
    const Folder folder;
    KueueExperiment of_others = racks(one_rack);
    // Two pods that Kueue does not manage have a server until 3602 s, and no job gives quota back
    // then.
    of_others.pods = exchanged(of_others.pods, "lifetime: 1h, quota: all", "lifetime: 1h");
    of_others.pods = replaced(of_others.pods, "lifetime: 1h", "lifetime: 3601s");
    fill(folder, of_others);
    CHECK(jobs_of_run(folder).at("gang").at("start_s") == "3603");
}
