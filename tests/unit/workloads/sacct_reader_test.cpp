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

namespace {

/// A row of a table with the columns `JobID|JobName|User|Submit|State|NNodes|Comment|SubmitLine`.
std::string row_of(int id,
                   const std::string& name,
                   const std::string& comment = "",
                   const std::string& submit_line = "sbatch a.sh") {
    return std::to_string(id) + "|" + name + "|ann|2026-01-01T00:00:0" + std::to_string(id) +
           "|COMPLETED|2|" + comment + "|" + submit_line + "\n";
}
const std::string texts_header = "JobID|JobName|User|Submit|State|NNodes|Comment|SubmitLine\n";

std::vector<std::string> names_of(const berth::tests::ReadTrace& trace) {
    std::vector<std::string> names;
    for (const auto& job : trace.jobs) {
        CHECK(job.user == "ann");
        CHECK(job.members == 2);
        CHECK(job.status == TraceStatus::completed);
        names.push_back(job.name);
    }
    return names;
}

}  // namespace

TEST_CASE("sacct: pipes and line ends in texts, where one way alone makes sense",
          "[workloads][sacct]") {
    const auto trace =
        read_trace("sacct",
                   texts_header + row_of(1, "a") + row_of(2, "b|c") + row_of(3, "d", "x|y|z") +
                       row_of(4, "e|f", "", "sbatch --wrap 'cat x | grep y\n| tee z\n\n5 | wc'") +
                       row_of(5, "g") + row_of(6, "h\ni|j") + row_of(7, "k"));
    REQUIRE(trace.error.empty());
    CHECK(names_of(trace) == std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7"});
    CHECK(trace.lines == std::vector<std::uint64_t>{2, 3, 4, 5, 9, 10, 12});
    CHECK(trace.jobs[5].submit == 5s);
    CHECK(trace.notes == std::vector<std::string>{
                             "line 3 has '|' or a line end in a text: of such rows, those are read "
                             "that make sense in one way only"});
}

TEST_CASE("sacct: texts before the job's number", "[workloads][sacct]") {
    const auto trace = read_trace("sacct",
                                  "SubmitLine|JobID|Submit|User|NNodes|State\n"
                                  "srun a|1|2026-01-01T00:00:01|ann|2|COMPLETED\n"
                                  "srun a | tee b|2|2026-01-01T00:00:02|ann|2|COMPLETED\n"
                                  "srun 'a\nb | c'|3|2026-01-01T00:00:03|ann|2|COMPLETED\n"
                                  "srun d|4|2026-01-01T00:00:04|ann|2|COMPLETED\n");
    REQUIRE(trace.error.empty());
    CHECK(names_of(trace) == std::vector<std::string>{"1", "2", "3", "4"});
}

TEST_CASE("sacct: a row that makes sense in several ways is refused, and loses no other",
          "[workloads][sacct]") {
    // Whether the name is `a|b` or the comment is `gpu|x` decides who the user is.
    const std::string header_of_two = "JobID|JobName|User|Partition|Comment|Submit\n";
    const std::string row = "1|a|b|ann|gpu|x|2026-01-01T00:00:00\n";
    CHECK_THAT(read_trace("sacct", header_of_two + row).error,
               Contains("t:2:1: error: 7 fields: expected 6, as in the header: print the table "
                        "without JobName, Comment"));
    // A row that was cut short does not swallow the next.
    const auto cut =
        read_lenient("sacct", texts_header + row_of(1, "a") + "2|b|ann|2026-0\n" + row_of(3, "c"));
    CHECK(names_of(cut) == std::vector<std::string>{"1", "3"});
    CHECK(cut.skipped.count == 1);
    // Too many ways are none.
    const auto many = read_trace("sacct", texts_header + row_of(1, std::string(2000, '|')));
    CHECK_THAT(many.error, Contains("2008 fields: expected 8"));
    // A wrong cell is still said where it stands.
    CHECK_THAT(read_trace("sacct", texts_header + "1|a|ann|soon|COMPLETED|2||x\n").error,
               Contains("t:2:9: error: Submit: no date 'soon'"));
}

TEST_CASE("sacct: other separators, JobIDRaw, and dates as seconds", "[workloads][sacct]") {
    const auto quoted = read_trace("sacct",
                                   "JobIDRaw,Submit,State,AllocTRES\n"
                                   "7,1760000000,COMPLETED,\"cpu=8,node=2\"\n"
                                   "8,1760000010,COMPLETED,\"cpu=8,node=2\"\n");
    REQUIRE(quoted.error.empty());
    REQUIRE(quoted.jobs.size() == 2);
    CHECK(quoted.jobs[0].name == "7");
    CHECK(quoted.jobs[0].cpu_milli == 4000);
    CHECK(quoted.jobs[1].submit == 10s);
    CHECK(quoted.notes == std::vector<std::string>{"its columns have ',' between them"});
}

TEST_CASE("sacct: a dump with damaged rows is read leniently, where it is", "[workloads][sacct]") {
    const std::string file = BERTH_SOURCE_DIR "/../shared/data/hpc/sacct_dump2101.log";
    if (!std::filesystem::exists(file)) {
        return;
    }
    const auto trace =
        berth::tests::read_all(*berth::workloads::open_trace("sacct", file, {true, {}}));
    CHECK(trace.jobs.size() == 12);
    CHECK(trace.skipped.count == 1);  // the end of a row, whose beginning is missing
    REQUIRE_FALSE(trace.jobs.empty());
    CHECK(trace.jobs[0].cpu_milli == 12'000);
    CHECK(trace.jobs[0].memory_bytes == 33'600LL << 20);
}
