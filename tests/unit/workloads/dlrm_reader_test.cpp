#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::tests::read_trace;
using Catch::Matchers::Contains;

namespace {

const std::string header =
    "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,"
    "rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,"
    "creation_time,scheduled_time,deletion_time\n";

}  // namespace

TEST_CASE("dlrm: a row is an instance with its share of a NIC and its limit a node",
          "[workloads][dlrm]") {
    const auto trace = read_trace("dlrm",
                                  header +
                                      "i-0,HN,app-a,12.5,16,1,1,25,25,120.0,120,1,1,8,,,\n"
                                      "i-1,CN,app-a,64,64,0,0,1,1,0.5,1,1,1,-1,10.25,11,20\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "i-0");
    CHECK(first.application == "app-a");
    CHECK(first.cpu_milli == 12'500);
    CHECK(first.memory_bytes == 120LL << 30);
    CHECK(first.gpus == berth::core::GpuRequest{1000, 1, {}});
    CHECK(first.rdma_percent == 25);
    CHECK(first.per_server_max == 8);
    CHECK_FALSE(first.submit);
    CHECK_FALSE(first.finish);
    CHECK(first.status == berth::workloads::TraceStatus::running);
    const auto& second = trace.jobs[1];
    CHECK(second.gpus == berth::core::GpuRequest{});
    CHECK(second.memory_bytes == 1LL << 29);
    CHECK(second.per_server_max == 0);
    CHECK(second.submit == 10250ms);
    CHECK(second.duration() == 9s);
}

TEST_CASE("dlrm: what is wrong with a row is said where it stands", "[workloads][dlrm]") {
    const auto error_of = [](const std::string& row) {
        return read_trace("dlrm", header + row).error;
    };
    CHECK_THAT(error_of("i,HN,a,1,1,1,1,1,1,1,1,1,1,-2,1,2,3\n"),
               Contains("t:2:28: error: max_instance_per_node: negative '-2'"));
    CHECK_THAT(error_of("i,HN,a,1,1,1,1,1,1,1,1,1,1,2,1,5,3\n"), Contains("ends before it starts"));
    CHECK_THAT(error_of("i,HN,a,1,1,0.5,1,1,1,1,1,1,1,2,1,2,3\n"),
               Contains("gpu_request: not whole '0.5'"));
    CHECK_THAT(error_of("i,HN,a\n"), Contains("3 fields: expected 17"));
    CHECK_THAT(read_trace("dlrm", "instance_sn,role\n").error, Contains("no column 'app_name'"));
}

TEST_CASE("dlrm: the published trace is read whole, where it is", "[workloads][dlrm]") {
    const std::string file = BERTH_SOURCE_DIR "/../shared/data/dlrm/disaggregated_DLRM_trace.csv";
    if (!std::filesystem::exists(file)) {
        return;
    }
    const auto trace = berth::tests::read_all(*berth::workloads::open_trace("dlrm", file, {}));
    CHECK(trace.jobs.size() == 23'871);
    CHECK(std::ranges::count_if(trace.jobs, [](const auto& job) { return !job.submit; }) == 7280);
    CHECK(std::ranges::count_if(trace.jobs, [](const auto& job) { return job.gpus.count == 1; }) ==
          7386);
}
