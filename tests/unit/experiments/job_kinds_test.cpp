#include "experiments/program/run/job_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

using namespace berth;
using sim::JobTrait;

namespace {

sim::JobKind kind(JobTrait trait, std::string label, std::uint64_t jobs, double wait) {
    return {trait, std::move(label), jobs, {{"job_wait_s_mean", wait}}};
}

std::vector<std::string> names(const std::vector<sim::Metric>& metrics) {
    std::vector<std::string> out;
    std::ranges::transform(metrics, std::back_inserter(out), &sim::Metric::name);
    return out;
}

}  // namespace

TEST_CASE("job kinds: every replication gets the same names, and nothing where it has no such job",
          "[experiments][job-kinds]") {
    std::vector<std::vector<sim::Metric>> replications(2);
    const auto notes = experiments::add_job_kinds(
        {{kind(JobTrait::user, "ann", 3, 1), kind(JobTrait::user, "bob", 1, 2)},
         {kind(JobTrait::user, "ann", 5, 3), kind(JobTrait::user, "cid", 1, 4)}},
        replications);
    CHECK(notes.empty());
    const std::vector<std::string> expected{
        "job_wait_s_mean[ann]", "job_wait_s_mean[bob]", "job_wait_s_mean[cid]"};
    CHECK(names(replications[0]) == expected);
    CHECK(names(replications[1]) == expected);
    CHECK(replications[0][1].value == 2.0);
    CHECK(!replications[0][2].value);
    CHECK(replications[1][0].value == 3.0);
    CHECK(!replications[1][1].value);
}

TEST_CASE("job kinds: a user who is called like a quota is told apart; what all share adds nothing",
          "[experiments][job-kinds]") {
    std::vector<std::vector<sim::Metric>> replications(1);
    const auto notes = experiments::add_job_kinds({{kind(JobTrait::quota, "a", 1, 1),
                                                    kind(JobTrait::quota, "b", 1, 2),
                                                    kind(JobTrait::user, "", 1, 3),
                                                    kind(JobTrait::user, "a", 1, 4),
                                                    kind(JobTrait::job_class, "c", 2, 5),
                                                    kind(JobTrait::size, "gpus=1", 2, 6)}},
                                                  replications);
    CHECK(notes.empty());
    const std::vector<std::string> expected{
        "job_wait_s_mean[a]", "job_wait_s_mean[b]", "job_wait_s_mean[user=a]"};
    CHECK(names(replications[0]) == expected);
    CHECK(replications[0][2].value == 4.0);
}

TEST_CASE("job kinds: of many users, those with the most jobs, and a note",
          "[experiments][job-kinds]") {
    std::vector<sim::JobKind> kinds;
    for (std::uint64_t i = 0; i < 30; ++i) {
        kinds.push_back(kind(JobTrait::user, fmt::format("user-{:02}", i), i < 10 ? 1 : 2, 0));
    }
    std::vector<std::vector<sim::Metric>> replications(1);
    const auto notes = experiments::add_job_kinds({kinds}, replications);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].find("user") != std::string::npos);
    REQUIRE(replications[0].size() == experiments::kinds_shown_max);
    CHECK(replications[0].front().name == "job_wait_s_mean[user-10]");
    CHECK(replications[0].back().name == "job_wait_s_mean[user-29]");
}
