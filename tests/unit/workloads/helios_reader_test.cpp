#include <string>

#include <catch2/catch.hpp>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;

namespace {

const std::string header =
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
    "queue\n";

}  // namespace

TEST_CASE("helios: a row is a job of equal nodes, its zero the first submission",
          "[workloads][helios]") {
    const auto trace =
        read_trace("helios",
                   header +
                       "7,u1,vcA,16,48,2,COMPLETED,2021-04-01 00:00:10,2021-04-01 00:01:00,"
                       "2021-04-01 01:01:00,3600,50\n"
                       "8,u2,vcB,0,4,1,NODE_FAIL,2021-04-01 00:00:00,None,,,\n"
                       "9,u2,vcB,5,4,2,TIMEOUT,2021-04-02 00:00:10,2021-04-02 00:00:10,"
                       "2021-04-02 00:00:20,10,0\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 3);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "7");
    CHECK(first.user == "u1");
    CHECK(first.queue == "vcA");
    CHECK(first.members == 2);
    CHECK(first.gpus == berth::core::GpuRequest{1000, 8, {}});
    CHECK(first.cpu_milli == 24'000);
    CHECK(first.submit == 0s);
    CHECK(first.start == 50s);
    CHECK(first.duration() == 3600s);
    CHECK(trace.jobs[1].submit == -10s);
    CHECK_FALSE(trace.jobs[1].start);
    CHECK(trace.jobs[1].status == TraceStatus::node_failed);
    CHECK(trace.jobs[2].gpus.count == 3);  // five on two nodes
    CHECK(trace.jobs[2].submit == 24h);
    CHECK(trace.jobs[2].status == TraceStatus::timed_out);
}

TEST_CASE("helios: what is wrong with a row is said where it stands", "[workloads][helios]") {
    const auto error_of = [](const std::string& row) {
        return read_trace("helios", header + row).error;
    };
    CHECK_THAT(error_of("7,u,v,1,1,1,DONE,2021-04-01 00:00:00,,,,\n"),
               Contains("t:2:13: error: state: unknown state 'DONE': expected a state of Slurm"));
    CHECK_THAT(error_of("7,u,v,1,1,1,FAILED,2021-02-30 00:00:00,,,,\n"),
               Contains("submit_time: no date '2021-02-30 00:00:00': expected YYYY-MM-DD"));
    CHECK_THAT(error_of("7,u,v,1,1,1,FAILED,2021-04-01 00:00:00,2021-04-01 00:00:09,"
                        "2021-04-01 00:00:08,1,\n"),
               Contains("ends before it starts"));
    CHECK_THAT(error_of("7,u,v,-1,1,1,FAILED,2021-04-01 00:00:00,,,,\n"),
               Contains("gpu_num: negative '-1'"));
    CHECK_THAT(error_of("7,u,v\n"), Contains("3 fields: expected 12"));
}
