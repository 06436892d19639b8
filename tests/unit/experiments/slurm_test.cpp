#include <catch2/catch.hpp>
#include <set>

#include "experiments/program/plot/program.hpp"
#include "experiments/program/slurm/job_script.hpp"
#include "experiments/program/slurm/missing_points.hpp"

using namespace berth::experiments;

namespace {

using Numbers = std::vector<std::size_t>;

/// A job of 100 points, of which those in `missing` have no result.
SlurmJob job_of(const std::set<std::size_t>& missing) {
    SlurmJob job;
    job.directory = "/scratch/50% it's";
    job.program = "/opt/berth/bin/berth";
    job.points = 100;
    job.is_done = [missing](std::size_t point) { return !missing.contains(point); };
    return job;
}

}  // namespace

TEST_CASE("slurm: tasks are listed as sbatch reads them", "[experiments][slurm]") {
    CHECK(array_list({0}) == "0");
    CHECK(array_list({0, 1, 2, 7, 9, 10}) == "0-2,7,9-10");
    CHECK(array_list({}).empty());
}

TEST_CASE("slurm: points are dealt to as many tasks as are of use", "[experiments][slurm]") {
    SlurmJob job = job_of({});
    CHECK(shard_count(job, 1001) == 100);  // one task a point
    CHECK(shard_count(job, 30) == 30);     // an array has no more tasks
    job.options.width = 2;
    CHECK(shard_count(job, 1001) == 8);
    job.points = 0;
    CHECK(shard_count(job, 1001) == 1);
}

TEST_CASE("slurm: only tasks with missing points are submitted", "[experiments][slurm]") {
    const SlurmJob job = job_of({3, 13, 24, 99});
    const MissingPoints missing(job);
    CHECK(missing.size() == 4);
    CHECK(missing.shards_with_some(10) == Numbers{3, 4, 9});
    CHECK(missing.of_shard(3, 10) == Numbers{3, 13});
    CHECK(missing.of_shard(5, 10).empty());
}

TEST_CASE("slurm: one point of a sweep may be the only one that is wanted",
          "[experiments][slurm]") {
    SlurmJob job = job_of({3, 13, 24});
    job.only = 13;
    const MissingPoints missing(job);
    CHECK(missing.size() == 1);
    CHECK(shard_count(job, 1001) == 1);
    CHECK(missing.shards_with_some(1) == Numbers{0});
    CHECK_THAT(job_script(job, 1), Catch::Contains(" --shard \"13/100\" "));
    job.only = 4;
    CHECK(MissingPoints(job).empty());
}

TEST_CASE("slurm: the script and the call hold paths of any letters", "[experiments][slurm]") {
    SlurmJob job = job_of({3});
    job.options.partition = "long";
    job.options.time = std::chrono::hours(30) + std::chrono::seconds(61);
    job.options.width = 7;
    job.options.options = {"--mem=4G", "--nice"};
    CHECK(job_script(job, 28).find("exec /opt/berth/bin/berth sweep "
                                   "'/scratch/50% it'\\''s/sweep.yaml' -o "
                                   "'/scratch/50% it'\\''s' --shard \"$SLURM_ARRAY_TASK_ID/28\"") !=
          std::string::npos);
    CHECK(sbatch_arguments(job, "berth-x", {3}) ==
          std::vector<std::string>{"sbatch",
                                   "--requeue",
                                   "--open-mode=append",
                                   "--partition=long",
                                   "--time=1-06:01:01",
                                   "--mem=4G",
                                   "--nice",
                                   "--parsable",
                                   "--job-name=berth-x",
                                   "--array=3%7",
                                   "--chdir=/scratch/50% it's/slurm",
                                   "--output=%A_%a.out",
                                   "/scratch/50% it's/slurm/job.sh"});
    CHECK(shell_quoted("") == "''");
}

TEST_CASE("slurm: how tasks ended is counted", "[experiments][slurm]") {
    SlurmTasks tasks;
    tasks.states = {{1, "FAILED, exit 3"}, {2, "NODE_FAIL"}, {4, "NODE_FAIL"}, {9, "COMPLETED"}};
    CHECK(ends_of_tasks(tasks, {1, 2, 4, 5}) == "1 FAILED, exit 3; 2 NODE_FAIL; 1 ended");
}

TEST_CASE("slurm: a program's output, its status, and its absence", "[experiments][slurm]") {
    using namespace std::chrono_literals;
    const auto answer =
        run_program({"sh", "-c", "echo \"$0\"; echo no >&2; exit 7", "a 'b' $c"}, 60s);
    REQUIRE(answer);
    CHECK(answer->out == "a 'b' $c\n");
    CHECK(answer->err == "no\n");
    CHECK(answer->status == 7);
    CHECK_FALSE(run_program({"berth-has-no-such-program"}, 60s));
    CHECK(run_program({"sleep", "50"}, 0s)->status == 137);
}
