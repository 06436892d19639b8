// How much min a quota needs: plans that choose a quota's min as a share of its max.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Asks about one of the example's two quotas. A holds the whole cluster when B's 100 pods of one
/// core come. B's runtime is min + (100 - 50 - min) / 2: that many pods start once the recycler
/// took the cores from A, and the others wait for an hour.
Answer ask(const std::string& shares, const std::string& requirement) {
    const Folder folder;
    folder.write("two.yaml", read_file(project_file("experiments/quota/lend-and-take-back.yaml")));
    return folder.berth({"plan",
                         "two.yaml",
                         "--choose",
                         "quota[B].min=" + shares,
                         "--require",
                         requirement,
                         "-o",
                         "out"});
}

}  // namespace

TEST_CASE("plan: the least min with which half of a quota's jobs start at once",
          "[cli][quota][plan]") {
    const Answer answer = ask("0..1..0.01", "job_wait_s_p50[B]<=1m");
    CHECK(answer.status == 0);
    CHECK_THAT(
        answer.out,
        Catch::StartsWith("B.min=0.5: job_wait_s_p50[B] 10 s; B.min=0.49 does not: 60.2 min\n"));
}

TEST_CASE("plan: min 0 may be enough, and all of max may be too little", "[cli][quota][plan]") {
    CHECK_THAT(ask("0,0.25,0.5", "job_wait_s_p50[B]<=2h").out, Catch::StartsWith("B.min=0: "));
    const Answer none = ask("0,0.5,1", "job_wait_s_p50[B]<=9s");
    CHECK(none.status == 1);
    CHECK_THAT(none.out, Catch::StartsWith("no choice meets job_wait_s_p50[B]<=9s: the nearest, "));
}

TEST_CASE("plan: a min that the others' mins leave no room for is told so", "[cli][quota][plan]") {
    const Answer answer = ask("0.6,0.7", "job_wait_s_p50[B]<=1m");
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, Catch::Contains("warning: B.min=0.6: the mins of A, B are together"));
}

TEST_CASE("plan: quotas above one get the sum of their children's mins", "[cli][quota][plan]") {
    const Folder folder;
    for (const std::string name :
         {"company.yaml", "company-quotas.yaml", "company-workload.yaml"}) {
        folder.write(name, read_file(project_file("experiments/quota/" + name)));
    }
    const Answer answer = folder.berth({"plan",
                                        "company.yaml",
                                        "--choose",
                                        "quota[product-search-train].min=0.5,0.6",
                                        "--require",
                                        "job_wait_s_p95[product-search-train]<=30m",
                                        "--replications",
                                        "2",
                                        "-o",
                                        "out"});
    CHECK(answer.status != 2);
    CAPTURE(answer.err);
    const std::string sweep = folder.read("out/sweep.yaml");
    // 0.6 of 200 GPUs and 1600 cores; its parent has 25 GPUs more below it, and theirs 60 more.
    CHECK_THAT(sweep, Catch::Contains("cpu: 960"));
    CHECK_THAT(sweep, Catch::Contains("nvidia.com/gpu: 120"));
    std::size_t changed = 0;
    for (std::size_t at = 0; (at = sweep.find("].spec.min:", at)) != std::string::npos; ++at) {
        ++changed;
    }
    CHECK(changed == 6);  // three quotas, for two shares
}

TEST_CASE("bad input: a quota that is none, and a share that is none", "[cli][bad-input][plan]") {
    const auto [chosen, message] = GENERATE(table<std::string, std::string>({
        {"quota[none].min=0..1..0.5",
         "--choose: error: no quota 'none' that pods may be in: expected A or B"},
        {"quota[B].min=0..2..0.5",
         "--choose: error: found '1.5': expected a share of the max of B, from 0 to 1"},
        {"quota[B].min=10m", "--choose: error: found '10m': expected a share of the max of B"},
    }));
    CAPTURE(chosen);
    const Folder folder;
    folder.write("two.yaml", read_file(project_file("experiments/quota/lend-and-take-back.yaml")));
    const Answer answer = folder.berth(
        {"plan", "two.yaml", "--choose", chosen, "--require", "job_wait_s_p50[B]<=1m"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Catch::StartsWith(message));
    CHECK(answer.out.empty());
}
