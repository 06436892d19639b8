#include <catch2/catch.hpp>

#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

const std::string by_usage = "UsageBasedAdmissionFairSharing";
const std::string sharing = configuration(
    "admissionFairSharing: {usageHalfLifeTime: 1h, usageSamplingInterval: 5m, resourceWeights: "
    "{cpu: 1}}");

/// One ClusterQueue with two cores for the LocalQueues heavy and light.
std::string objects(const std::string& mode, const std::string& strategy = "BestEffortFIFO") {
    return kueue_file({sharing,
                       flavor(),
                       cluster_queue("all",
                                     "2",
                                     "queueingStrategy: " + strategy +
                                         ", admissionScope: {admissionMode: " + mode + "}"),
                       local_queue("heavy", "all"),
                       local_queue("light", "all")});
}

std::string experiment(const std::string& pods) {
    const KueueExperiment of_pods{
        .servers = 1, .types = "one: {cpu: 1}, two: {cpu: 2}, three: {cpu: 3}", .pods = pods};
    return of_pods.text();
}

std::string starts_of(const Folder& folder) {
    std::string starts;
    for (const auto& [job, row] : jobs_of_run(folder)) {
        starts += job + "@" + row.at("start_s") + " ";
    }
    return starts;
}

}  // namespace

TEST_CASE("kueue: who used less is admitted first where usage counts", "[kueue]") {
    const Folder folder;
    folder.write("run.yaml",
                 experiment(R"(        - {name: a, type: two, lifetime: 1h, quota: heavy}
        - {name: b, type: two, at: 1m, lifetime: 1h, quota: heavy}
        - {name: c, type: two, at: 2m, lifetime: 1h, quota: light}
        - {name: d, type: two, at: 3m, lifetime: 1h, quota: heavy}
)"));
    folder.write("kueue.yaml", objects(by_usage));
    CHECK(starts_of(folder) == "a@0 b@7202 c@3601 d@10803 ");
    const CsvRow metrics = csv_rows(folder.read("out/replications.csv")).front();
    CHECK(metrics.at("queue/all/default/light/admission_wait_s_mean") == "3481");
    CHECK(metrics.at("queue/all/default/heavy/admitted") == "3");
    CHECK(metrics.at("queue/all/admitted") == "4");
    folder.write("kueue.yaml", objects("NoAdmissionFairSharing"));
    CHECK(starts_of(folder) == "a@0 b@3601 c@7202 d@10803 ");
    std::string none_counts = objects(by_usage);
    const std::string hour = "usageHalfLifeTime: 1h";
    none_counts.replace(none_counts.find(hour), hour.size(), "usageHalfLifeTime: 0s");
    folder.write("kueue.yaml", none_counts);
    CHECK(starts_of(folder) == "a@0 b@3601 c@7202 d@10803 ");
}

TEST_CASE("kueue: a sample of usage changes who is the head of a strict queue", "[kueue]") {
    // The head asks for more than there is, and holds the queue up for as long as its LocalQueue
    // has used less than the other one.
    const Folder folder;
    folder.write("kueue.yaml", objects(by_usage, "StrictFIFO"));
    folder.write("run.yaml",
                 experiment(R"(        - {name: a, type: one, lifetime: 9h, quota: light}
        - {name: b, type: three, at: 1m, lifetime: 1h, quota: heavy}
        - {name: c, type: one, at: 2m, lifetime: 1h, quota: light}
)"));
    // heavy never used anything, so that its head, which never fits, remains the head forever.
    CHECK(starts_of(folder) == "a@0 b@ c@ ");
    folder.write("run.yaml",
                 experiment(R"(        - {name: a, type: one, lifetime: 10m, quota: heavy}
        - {name: b, type: one, lifetime: 9h, quota: light}
        - {name: c, type: three, at: 11m, lifetime: 1h, quota: heavy}
        - {name: d, type: one, at: 12m, lifetime: 1h, quota: light}
)"));
    CHECK(starts_of(folder) == "a@0 b@0 c@ d@ ");
    // The reverse: heavy's usage decreases, that of light, whose job never fits, increases.
    folder.write("run.yaml",
                 experiment(R"(        - {name: a, type: one, lifetime: 10m, quota: heavy}
        - {name: b, type: one, at: 4m, lifetime: 9h, quota: light}
        - {name: c, type: one, at: 11m, lifetime: 1h, quota: heavy}
        - {name: d, type: three, at: 9m, lifetime: 1h, quota: light}
)"));
    const std::string starts = starts_of(folder);
    INFO(starts);
    CHECK(starts.find("c@660") == std::string::npos);
    CHECK(starts.find("c@ ") == std::string::npos);
}

TEST_CASE("kueue: admission fair sharing that has no effect is said", "[kueue]") {
    struct Case {
        KueueObjects objects;
        std::string quota;
        std::string message;
    };
    const std::string scope = "admissionScope: {admissionMode: " + by_usage + "}";
    const std::string all = cluster_queue("all", "2", scope);
    const auto& [objects, quota, message] = GENERATE_COPY(
        Case{{sharing, flavor(), all},
             "all",
             "1:88: warning: admissionFairSharing has no effect, since usage is counted by "
             "LocalQueue and none is {}: add LocalQueues, which the quota of jobs then names"},
        Case{{sharing, flavor(), cluster_queue("all", "2"), local_queue("heavy", "all")},
             "heavy",
             "1:88: warning: admissionFairSharing has no effect, since no ClusterQueue {} has " +
                 scope + ": add it to those whose usage is to count"},
        Case{{flavor(), all, local_queue("heavy", "all")},
             "heavy",
             "3:1: warning: ClusterQueue all: " + by_usage +
                 " has no effect, since no Configuration {} turns admissionFairSharing on: add "
                 "it"});
    const Folder folder;
    folder.write("kueue.yaml", kueue_file(objects));
    folder.write(
        "run.yaml",
        experiment("        - {name: a, type: one, lifetime: 1h, quota: " + quota + "}\n"));
    const auto said = [&](const std::string& where) {
        return Catch::Contains("kueue.yaml:" + replaced(message, "{}", where) + "\n");
    };
    const auto run = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(run.status == 0);
    CHECK_THAT(run.err, said("among the objects"));
    const auto valid = folder.berth({"validate", "kueue.yaml"});
    CHECK(valid.status == 0);
    CHECK_THAT(valid.err, said("in this file"));
}

TEST_CASE("kueue: nothing is said of admission fair sharing that is whole", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects(by_usage));
    const auto valid = folder.berth({"validate", "kueue.yaml"});
    CHECK(valid.status == 0);
    CHECK(valid.err.empty());
}

TEST_CASE("kueue: admission fair sharing is read, and what is wrong with it refused", "[kueue]") {
    const Folder folder;
    folder.write("run.yaml",
                 experiment("        - {name: a, type: one, lifetime: 1h, quota: heavy}\n"));
    const auto refused = [&](const std::string& from, const std::string& to) {
        folder.write("kueue.yaml", replaced(objects(by_usage), from, to));
        const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
        CHECK(answer.status == 2);
        return answer.err;
    };
    CHECK_THAT(refused("usageHalfLifeTime: 1h", "usageHalfLife: 1h"),
               Catch::Contains("usageHalfLifeTime"));
    CHECK_THAT(refused("{cpu: 1}", "{cpu: -1}"), Catch::Contains("kueue.yaml:1:"));
    CHECK_THAT(refused("admissionMode: Usage", "admissionMode: Fair"),
               Catch::Contains("NoAdmissionFairSharing"));
    CHECK_THAT(refused("usageHalfLifeTime: 1h", "usageHalfLifeTime: -1h"),
               Catch::Contains("kueue.yaml:1:"));
}
