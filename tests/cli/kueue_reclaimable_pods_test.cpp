#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

const std::string objects = kueue_file({flavor(), cluster_queue("all", "4")});

/// A group of this size with these keys, beside pods.
std::string experiment(int size, const std::string& keys, const std::string& pods) {
    const KueueExperiment shrinking{
        .pods = pods,
        .workload =
            "    - groups: [{document: {kind: GroupPlacement, spec: {group: {name: g, type: "
            "one, size: " +
            std::to_string(size) + "}}}, quota: all, lifetime: 1h, " + keys + "}]\n"};
    return shrinking.text();
}

std::map<std::string, CsvRow> jobs_of(const Folder& folder, const std::string& document) {
    folder.write("kueue.yaml", objects);
    folder.write("run.yaml", document);
    return jobs_of_run(folder);
}

}  // namespace

TEST_CASE("kueue: pods that are done give their quota back", "[kueue]") {
    const Folder folder;
    const auto jobs = jobs_of(
        folder,
        experiment(4,
                   "resize: [{at: 10m, size: 2}]",
                   "        - {name: a, type: one, count: 2, at: 1m, lifetime: 1h, quota: all}\n"));
    CHECK(jobs.at("g").at("start_s") == "0");
    CHECK(jobs.at("g").at("finish_s") == "3600");
    CHECK(jobs.at("a-0").at("start_s") == "601");
    CHECK(jobs.at("a-1").at("start_s") == "601");
}

TEST_CASE("kueue: who needs fewer pods while it waits asks for less quota", "[kueue]") {
    const Folder folder;
    const auto jobs = jobs_of(folder,
                              experiment(4,
                                         "at: 1m, resize: [{at: 10m, size: 3}]",
                                         "        - {name: a, type: one, lifetime: 5h, quota: "
                                         "all}\n"));
    CHECK(jobs.at("g").at("start_s") == "600");
    CHECK(jobs.at("g").at("placed") == "3");
}

TEST_CASE("kueue: groups that grow are refused", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects);
    folder.write("run.yaml", experiment(2, "resize: [{at: 5m, size: 1}, {at: 10m, size: 2}]", ""));
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err,
               Catch::Contains("g cannot grow with kueue, since elastic slices of workloads are "
                               "not modelled: expected groups that shrink alone"));
}
