#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::vector<CsvRow> pods_of(const Folder& folder, const std::string& experiment) {
    folder.write("large.yaml", experiment);
    (void)done(folder, {"run", "large.yaml", "--quiet"});
    return csv_rows(folder.read("out/tiny/pods.csv"));
}

std::string with_retry(const std::string& retry) {
    return replaced(sound_experiment, "retry: always", "retry: " + retry);
}

}  // namespace

TEST_CASE("a pod larger than any server waits or is dropped, with its reason", "[cli][outcome]") {
    const auto [retry, outcome] =
        GENERATE(table<std::string, std::string>({{"never", "dropped"}, {"always", "waiting"}}));
    const Folder folder;
    const auto rows = pods_of(folder, replaced(with_retry(retry), "{cpu: 4", "{cpu: 40"));
    REQUIRE(rows.size() > 5);
    for (const CsvRow& row : rows) {
        CHECK(row.at("outcome") == outcome);
        CHECK(row.at("node").empty());
        CHECK(row.at("start_s").empty());
        CHECK_THAT(
            row.at("reason"),
            Catch::StartsWith("0/6 nodes are available") && Catch::EndsWith("6 Insufficient cpu."));
    }
    const Answer answer = folder.berth({"validate", "large.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("large.yaml:") &&
                   Catch::Contains(
                       "warning: pod: a pod demands more than any server has: 40 cpu, and none "
                       "has more than 16: it can never start"));
}

TEST_CASE("a group larger than the cluster waits or is dropped, with its reason",
          "[cli][outcome]") {
    const auto [retry, outcome] =
        GENERATE(table<std::string, std::string>({{"never", "dropped"}, {"always", "waiting"}}));
    const Folder folder;
    const auto rows = pods_of(folder, replaced(with_retry(retry), "size: 4", "size: 40"));
    std::size_t members = 0;
    for (const CsvRow& row : rows) {
        if (row.at("group") == "g") {
            ++members;
            CHECK(row.at("outcome") == outcome);
            CHECK(row.at("node").empty());
            CHECK_THAT(row.at("reason"), Catch::Contains("of 40 members can be placed"));
        } else {
            CHECK(row.at("outcome") == "finished");
        }
    }
    CHECK(members == 40);
    const Answer answer = folder.berth({"validate", "large.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: g: 40 members must start, the empty cluster "
                               "holds 24: it can never start"));
}
