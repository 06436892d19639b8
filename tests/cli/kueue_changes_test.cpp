#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

std::string queue(const std::string& name, const std::string& cpus, const std::string& more = "") {
    return cluster_queue(name, cpus, "cohortName: lab" + (more.empty() ? "" : ", " + more));
}

std::string local(const std::string& name, const std::string& more = "") {
    return local_queue(name, "team-" + name, more);
}

/// Two teams with two cores each that lend to each other.
const std::string objects =
    kueue_file({flavor(), queue("team-a", "2"), queue("team-b", "2"), local("a"), local("b")});

/// A run with these changes, each with its time and its objects.
std::string experiment(const std::string& changes) {
    const KueueExperiment changing{
        .pods = R"(        - {name: a, type: one, count: 3, lifetime: 1h, quota: a}
        - {name: b, type: one, count: 3, at: 1s, lifetime: 1h, quota: b}
)",
        .kueue = "\n      file: kueue.yaml\n      changes:\n" + changes};
    return changing.text();
}

std::string change(const std::string& at, const std::string& object) {
    return "      - {at: " + at + ", objects: [" + object + "]}\n";
}

std::map<std::string, CsvRow> jobs_of(const Folder& folder, const std::string& changes) {
    folder.write("kueue.yaml", objects);
    folder.write("run.yaml", experiment(changes));
    return jobs_of_run(folder);
}

}  // namespace

TEST_CASE("kueue changes: more quota lets those in who wait, a second later", "[kueue]") {
    const Folder folder;
    auto jobs = jobs_of(folder, change("10m", queue("team-a", "4")));
    CHECK(jobs.at("a-2").at("start_s") == "0");  // it borrows
    CHECK(jobs.at("b-0").at("start_s") == "1");
    CHECK(jobs.at("b-1").at("start_s") == "601");
    CHECK(jobs.at("b-2").at("start_s") == "601");
}

TEST_CASE("kueue changes: less quota takes nothing from who has some", "[kueue]") {
    const Folder folder;
    auto jobs = jobs_of(folder, change("10m", queue("team-a", "0")));
    for (const char* stays : {"a-0", "a-1", "a-2", "b-0"}) {
        CHECK(jobs.at(stays).at("finish_s") == (stays[0] == 'a' ? "3600" : "3601"));
    }
    // Two cores remain in total once those jobs have ended.
    CHECK(jobs.at("b-1").at("start_s") == "3601");
    CHECK(jobs.at("b-2").at("start_s") == "3601");
}

TEST_CASE("kueue changes: a queue that is held admits nobody until it is not", "[kueue]") {
    const Folder folder;
    const std::string stopped = GENERATE("Hold", "HoldAndDrain");
    const bool drains = stopped == "HoldAndDrain";
    SECTION("a ClusterQueue") {
        auto jobs = jobs_of(folder,
                            change("10m", queue("team-a", "2", "stopPolicy: " + stopped)) +
                                change("2h", queue("team-a", "2")));
        CHECK(jobs.at("a-0").at("revoked") == (drains ? "1" : "0"));
        CHECK(jobs.at("a-0").at("start_s") == (drains ? "7200" : "0"));
        // What is given back is lent, although the queue is stopped.
        CHECK(jobs.at("b-2").at("start_s") == (drains ? "601" : "3601"));
    }
    SECTION("a LocalQueue") {
        auto jobs = jobs_of(
            folder, change("10m", local("a", "stopPolicy: " + stopped)) + change("2h", local("a")));
        CHECK(jobs.at("a-0").at("revoked") == (drains ? "1" : "0"));
        CHECK(jobs.at("a-0").at("start_s") == (drains ? "7200" : "0"));
        CHECK(jobs.at("b-2").at("start_s") == (drains ? "601" : "3601"));
    }
}

TEST_CASE("kueue changes: who waits in a LocalQueue that is stopped is not admitted", "[kueue]") {
    const Folder folder;
    // b-1 and b-2 wait for what a borrowed, which it gives back at 1 h.
    auto jobs =
        jobs_of(folder, change("10m", local("b", "stopPolicy: Hold")) + change("3h", local("b")));
    CHECK(jobs.at("b-0").at("finish_s") == "3601");
    CHECK(jobs.at("b-1").at("start_s") == "10800");
    CHECK(jobs.at("b-2").at("start_s") == "10800");
}

TEST_CASE("kueue changes: who is drained for good waits at the end of the run", "[kueue]") {
    const Folder folder;
    auto jobs = jobs_of(folder, change("10m", queue("team-a", "2", "stopPolicy: HoldAndDrain")));
    CHECK(jobs.at("a-0").at("outcome") == "waiting");
    CHECK(jobs.at("a-0").at("reason") == "ClusterQueue team-a is stopped.");
    jobs = jobs_of(folder, change("10m", local("a", "stopPolicy: HoldAndDrain")));
    CHECK(jobs.at("a-0").at("reason") == "Its LocalQueue is stopped.");
}

TEST_CASE("kueue changes: from a file, and again from what the run wrote", "[kueue]") {
    const Folder folder;
    folder.write("more.yaml", kueue_file({queue("team-a", "4")}));
    auto jobs = jobs_of(folder, "      - {at: 10m, file: more.yaml}\n");
    CHECK(jobs.at("b-1").at("start_s") == "601");
    CHECK_THAT(done(folder, {"verify", "out"}), Catch::Contains("the recomputed files match"));
}

TEST_CASE("kueue changes: what cannot change is refused", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects);
    const auto refused = [&](const std::string& changes) {
        folder.write("run.yaml", experiment(changes));
        const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
        CHECK(answer.status == 2);
        return answer.err;
    };
    CHECK_THAT(refused(change("1h", queue("team-c", "2"))),
               Catch::Contains("run.yaml:19:28: error: a change cannot add ClusterQueue team-c: "
                               "expected one that is among the objects from the beginning"));
    CHECK_THAT(refused(change("1h", flavor("other"))),
               Catch::Contains("expected kind ClusterQueue, Cohort or LocalQueue, since others do "
                               "not change in a run"));
    CHECK_THAT(refused(change("1h", local_queue("a", "team-b"))),
               Catch::Contains("expected team-a, since a LocalQueue keeps its ClusterQueue"));
    CHECK_THAT(refused(change("1h", local("d"))),
               Catch::Contains("a change cannot add LocalQueue default/d: expected one that is "
                               "among the objects from the beginning"));
    const std::string misspelled = queue("team-a", "2");
    CHECK_THAT(refused(change("1h", replaced(misspelled, "kind:", "kidn: 1, kind:"))),
               Catch::Contains("unknown key 'kidn' in a ClusterQueue: expected apiVersion, kind, "
                               "status, metadata or spec (did you mean 'kind'?)"));
    CHECK_THAT(
        refused(change("1h", replaced(misspelled, "{name:", "{nmae: x, name:"))),
        Catch::Contains("unknown key 'nmae' in metadata: expected name, namespace, labels, "));
    CHECK_THAT(refused("      - {at: 1h}\n"), Catch::Contains("objects"));
    CHECK_THAT(refused("      - {objects: []}\n"), Catch::Contains("at"));
    CHECK_THAT(refused("        at: 1h\n"), Catch::Contains("a list such as"));
    CHECK_THAT(refused(change("1h", queue("team-a", "-1"))),
               Catch::Contains("found '-1': expected a Kubernetes quantity"));
}
