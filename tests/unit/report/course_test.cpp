#include "experiments/program/results/course.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/program/results/job_traits.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "tests/support/folder.hpp"

using namespace berth::report;
using berth::tests::TestFolder;

namespace {

/// Replications of 499 s on 8 GPUs, of which 2 are in use before the run: a slice is a second.
void write_run(const TestFolder& folder, int replications = 1) {
    folder.write("summary.json",
                 R"({"schema": "berth.summary/v1", "experiment": "x", "metrics": {}})");
    std::string rows = "replication,seed,end_s\n";
    for (int i = 0; i < replications; ++i) {
        rows += std::to_string(i) + ",1,499\n";
    }
    folder.write("replications.csv", rows);
    folder.write("nodes.csv",
                 "node,cpu_capacity,cpu_background,nvidia.com/gpu_capacity,"
                 "nvidia.com/gpu_background\nn,64,0,8,2\n");
}

constexpr const char* pods_header =
    "replication,pod,group,submit_s,start_s,finish_s,node,outcome,reason,demand\n";

}  // namespace

TEST_CASE("course: a change counts in its slice by the time that is left of it",
          "[report][course]") {
    StepMeans steps;
    const double slice = 1.0 / StepMeans::slices;
    steps.change(0, 4);
    steps.change(10.25 * slice, -3);
    steps.change(1, -1);
    steps.change(2, 100);
    const std::vector<double> values = steps.values();
    REQUIRE(values.size() == 500);
    CHECK(values[0] == 4);
    CHECK(values[9] == 4);
    CHECK(values[10] == Approx(0.25 * 4 + 0.75 * 1));
    CHECK(values[11] == Approx(1));
    CHECK(values[498] == Approx(1));
    CHECK(values[499] == Approx(0).margin(1e-9));  // what ends with the run has ended
}

TEST_CASE("course: pods tell the queue and what is in use, also those that were evicted",
          "[report][course]") {
    const TestFolder folder;
    write_run(folder);
    folder.write("pods.csv",
                 std::string(pods_header) +
                     "0,a,,0,0,100.5,n,finished,,cpu=1 nvidia.com/gpu=2\n"
                     "0,b,,10,100,,n,running,,cpu=1 nvidia.com/gpu=4\n"
                     "0,c,,50,60,70,n,waiting,evicted,nvidia.com/gpu=1\n"
                     "0,d,,200,,,,dropped,too large,nvidia.com/gpu=64\n");
    folder.write("evictions.csv", "replication,time_s,pod,ran_s\n0,40,b,20\n0,70,c,10\n");
    const TimeSeries course = read_run_directory(folder.path()).course;
    CHECK(course.columns == std::vector<std::string>{"pods_waiting", "nvidia.com/gpu_utilization"});
    REQUIRE(course.replications.size() == 1);
    const ReplicationSeries& one = course.replications.front();
    REQUIRE(one.time_s.size() == 500);
    CHECK(one.time_s.back() == 499);
    const auto at = [&](std::size_t second) {
        return std::pair(one.values[0][second], one.values[1][second] * 8 - 2);
    };
    CHECK(at(5) == std::pair(0.0, 2.0));
    CHECK(at(15) == std::pair(1.0, 2.0));   // b waits
    CHECK(at(30) == std::pair(0.0, 6.0));   // and runs,
    CHECK(at(45) == std::pair(1.0, 2.0));   // and waits again,
    CHECK(at(55) == std::pair(2.0, 2.0));   // with c;
    CHECK(at(65) == std::pair(1.0, 3.0));   // c runs
    CHECK(at(80) == std::pair(2.0, 2.0));   // and was evicted.
    CHECK(at(100) == std::pair(1.0, 5.0));  // a ends in the middle of this second
    CHECK(at(300) == std::pair(1.0, 4.0));  // the dropped pod is not counted
    CHECK(at(499) == std::pair(1.0, 4.0));
}

TEST_CASE("course: jobs tell it where pods are not recorded", "[report][course]") {
    const TestFolder folder;
    write_run(folder, 2);
    const std::string header =
        "replication,job,size,submit_s,start_s,finish_s,demand_nvidia_com_gpu,outcome,preempted\n";
    folder.write("jobs.csv", header + "1,gang,3,10,20,30,2,finished,0\n");
    const TimeSeries course = read_run_directory(folder.path()).course;
    REQUIRE(course.replications.size() == 2);
    CHECK(course.replications[1].values[0][15] == Approx(3));
    CHECK(course.replications[1].values[1][25] == Approx(1));
    CHECK(course.replications[0].values[0][15] == 0);

    SECTION("but not of jobs that ran before their last start") {
        folder.write("jobs.csv", header + "1,gang,3,10,20,30,2,finished,1\n");
        CHECK(read_run_directory(folder.path()).course.replications.empty());
    }
}

TEST_CASE("course: there is none of a run in which no time passes, or without its end",
          "[report][course]") {
    const TestFolder folder;
    write_run(folder);
    folder.write("pods.csv", std::string(pods_header) + "0,a,,0,0,5,n,finished,,cpu=1\n");
    const auto [what, rows] = GENERATE(table<std::string, std::string>(
        {{"no time", "replication,seed,end_s\n0,1,0\n"}, {"no end", "replication,seed\n0,1\n"}}));
    CAPTURE(what);
    folder.write("replications.csv", rows);
    CHECK(read_run_directory(folder.path()).course.replications.empty());
}

TEST_CASE("course: use is not told where it is not known what a pod asks for", "[report][course]") {
    const TestFolder folder;
    write_run(folder);
    folder.write("pods.csv", std::string(pods_header) + "0,a,,0,0,5,n,finished,,\n");
    CHECK(read_run_directory(folder.path()).course.columns ==
          std::vector<std::string>{"pods_waiting"});
}

TEST_CASE("job traits: what stands in brackets is a quota, a user, a class or a size",
          "[report][course]") {
    const TestFolder folder;
    folder.write("jobs.csv",
                 "replication,job,user,class,quota\n"
                 "0,a,research,inference,\n"
                 "0,b,ann,training,research\n"
                 "0,c,ann,training,web\n");
    std::vector<MetricSummary> metrics;
    for (const char* label :
         {"research", "web", "user=research", "ann", "inference", "training", "gpus=2-4"}) {
        metrics.emplace_back().name = "job_wait_s_mean[" + std::string(label) + "]";
    }
    metrics.emplace_back().name = "makespan_s";
    const auto traits = read_job_traits(folder.path() / "jobs.csv", metrics);
    CHECK(traits == std::map<std::string, std::string, std::less<>>{{"research", "quota"},
                                                                    {"web", "quota"},
                                                                    {"user=research", "user"},
                                                                    {"ann", "user"},
                                                                    {"inference", "class"},
                                                                    {"training", "class"},
                                                                    {"gpus=2-4", "size"}});
}
