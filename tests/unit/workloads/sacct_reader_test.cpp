#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::tests::read_lenient;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;

namespace {

const std::string header =
    "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|AllocTRES|ReqTRES|"
    "NNodes|ReqMem|Priority\n";

}  // namespace

TEST_CASE("sacct: a row without a step is a job of nodes", "[workloads][sacct]") {
    const auto trace = read_trace(
        "sacct",
        header +
            "71_3|u1|lab|gpu|2026-01-01T00:00:10|2026-01-01T00:01:00|2026-01-01T00:02:00|60|"
            "1-00:00:00|CANCELLED by 1000|billing=9,cpu=24,gres/gpu:m9=8,gres/gpu=8,mem=100G,"
            "node=2||2|2800Mc|4294967295\n"
            "71_3.batch|||gpu|2026-01-01T00:00:10|Unknown|Unknown|0||COMPLETED|||||\n"
            "72|u2|lab||2026-01-01T00:00:00|Unknown|Unknown|0|UNLIMITED|PENDING||cpu=3,node=1|1|"
            "2800Mc|7\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "71_3");
    CHECK(first.application == "71");
    CHECK(first.user == "u1");
    CHECK(first.queue == "gpu");
    CHECK(first.members == 2);
    CHECK(first.cpu_milli == 12'000);
    CHECK(first.memory_bytes == 50LL << 30);
    CHECK(first.gpus == berth::core::GpuRequest{1000, 4, {"m9"}});
    CHECK(first.submit == 0s);
    CHECK(first.start == 50s);
    CHECK(first.duration() == 60s);
    CHECK(first.time_limit == 24h);
    CHECK(first.priority == INT32_MAX);
    CHECK(first.status == TraceStatus::cancelled);
    const auto& second = trace.jobs[1];
    CHECK(second.queue == "lab");
    CHECK(second.submit == -10s);
    CHECK_FALSE(second.duration());
    CHECK_FALSE(second.time_limit);
    CHECK(second.memory_bytes == 3 * 2800LL << 20);
    CHECK(second.status == TraceStatus::pending);
    CHECK(trace.lines == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("sacct: a pipe behind the last field, and quotes that are letters",
          "[workloads][sacct]") {
    const auto trace = read_trace("sacct",
                                  "JobID|Submit|NCPUS|ReqMem|NNodes|JobName|\n"
                                  "1|2026-01-01T00:00:00|8|4Gn|2|\"half|\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    CHECK(trace.jobs[0].cpu_milli == 4000);
    CHECK(trace.jobs[0].memory_bytes == 4LL << 30);
}

TEST_CASE("sacct: what is wrong with a row is said where it stands", "[workloads][sacct]") {
    const auto error_of = [](const std::string& row) {
        return read_trace("sacct", header + row).error;
    };
    CHECK_THAT(error_of("1|u|a|p|yesterday||||||||||\n"),
               Contains("t:2:9: error: Submit: no date 'yesterday'"));
    CHECK_THAT(error_of("1|u|a|p|2026-01-01T00:00:00|||||||||||\n"), Contains("16 fields"));
    CHECK_THAT(error_of("1|u|a|p|2026-01-01T00:00:00|||||LOST|||||\n"),
               Contains("unknown state 'LOST'"));
    CHECK_THAT(error_of("1|u|a|p|2026-01-01T00:00:00||||||cpu=x||||\n"),
               Contains("AllocTRES: no trackable resources 'cpu=x'"));
    CHECK_THAT(
        error_of("1|u|a|p|2026-01-01T00:00:00|2026-01-01T00:00:02|2026-01-01T00:00:01||||||||\n"),
        Contains("ends before it starts"));
    CHECK_THAT(error_of("1|u|a|p|2026-01-01T00:00:00|||||||||lots|\n"),
               Contains("ReqMem: no memory 'lots'"));
    CHECK_THAT(error_of("1|u|a|p|2026-01-01T00:00:00||||soon||||||\n"),
               Contains("Timelimit: no length of time 'soon'"));
}

TEST_CASE("sacct: a dump with damaged rows is read leniently, where it is", "[workloads][sacct]") {
    const std::string file = BERTH_SOURCE_DIR "/../shared/data/hpc/sacct_dump2101.log";
    if (!std::filesystem::exists(file)) {
        return;
    }
    const auto trace =
        berth::tests::read_all(*berth::workloads::open_trace("sacct", file, {true, {}}));
    CHECK(trace.jobs.size() == 8);
    CHECK(trace.skipped.count == 5);  // names with a pipe in them, and rows broken in two
    REQUIRE_FALSE(trace.jobs.empty());
    CHECK(trace.jobs[0].cpu_milli == 12'000);
    CHECK(trace.jobs[0].memory_bytes == 33'600LL << 20);
}
