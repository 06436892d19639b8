#include <string>

#include <catch2/catch.hpp>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;

namespace {

const std::string seren =
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"
    "queue,gpu_time\n";
const std::string kalos =
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,"
    "submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n";

}  // namespace

TEST_CASE("acme: a row is a job of equal nodes, its queue the type of its work",
          "[workloads][acme]") {
    const auto trace =
        read_trace("acme",
                   seren +
                       "41,u1,2,16,64,Pretrain,COMPLETED,2023-03-01 08:00:00+08:00,"
                       "2023-03-01 08:00:30+08:00,2023-03-01 09:00:30+08:00,3600,30,57600.0\n"
                       "42,u2,1,0,8,Debug,NODE_FAIL,2023-03-01 00:00:10+00:00,,,,,\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "41");
    CHECK(first.user == "u1");
    CHECK(first.queue == "Pretrain");
    CHECK(first.members == 2);
    CHECK(first.gpus == berth::core::GpuRequest{1000, 8, {}});
    CHECK(first.cpu_milli == 32'000);
    CHECK(first.memory_bytes == 0);
    CHECK(first.submit == 0s);
    CHECK(first.start == 30s);
    CHECK(first.duration() == 3600s);
    CHECK(first.status == TraceStatus::completed);
    CHECK(trace.jobs[1].submit == 10s);  // the zones are taken into account
    CHECK_FALSE(trace.jobs[1].start);
    CHECK(trace.jobs[1].status == TraceStatus::node_failed);
}

TEST_CASE("acme: Kalos has memory by pod, and counts the queue into the duration",
          "[workloads][acme]") {
    const auto trace =
        read_trace("acme",
                   kalos +
                       "a,u1,4,32,480,1000,100.0,SFT,FAILED,2023-05-17 11:00:00+00:00,"
                       "2023-05-17 11:00:10+00:00,2023-05-17 11:00:18+00:00,"
                       "2023-05-17 11:00:18+00:00,,18,10.0,576.0\n"
                       "b,u1,1,1,1,,,SFT,CANCELLED,2023-05-17 11:00:00+00:00,,,,,18,,\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    CHECK(trace.jobs[0].memory_bytes == 1'000'000'000'000);
    CHECK(trace.jobs[0].duration() == 8s);
    CHECK(trace.jobs[1].memory_bytes == 0);
    CHECK(trace.jobs[1].duration() == 18s);  // nothing else is known
}

TEST_CASE("acme: what is wrong with a row is said where it stands", "[workloads][acme]") {
    const auto error_of = [](const std::string& row) {
        return read_trace("acme", seren + row).error;
    };
    CHECK_THAT(error_of("7,u,1,1,1,t,DONE,2023-03-01 00:00:00,,,,,\n"),
               Contains("t:2:13: error: state: unknown state 'DONE': expected a state of Slurm"));
    CHECK_THAT(error_of("7,u,1,1,1,t,FAILED,yesterday,,,,,\n"),
               Contains("submit_time: no date 'yesterday': expected YYYY-MM-DD"));
    CHECK_THAT(error_of("7,u,1,1,1,t,FAILED,2023-03-01 00:00:00,2023-03-01 00:00:09,"
                        "2023-03-01 00:00:08,1,,\n"),
               Contains("ends before it starts"));
    CHECK_THAT(error_of("7,u,1,-1,1,t,FAILED,2023-03-01 00:00:00,,,,,\n"),
               Contains("gpu_num: negative '-1'"));
    CHECK_THAT(error_of(",u,1,1,1,t,FAILED,2023-03-01 00:00:00,,,,,\n"), Contains("job_id"));
}
