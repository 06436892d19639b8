#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::core::GpuRequest;
using berth::tests::read_lenient;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;

namespace {

const std::string job_log = R"([
  {"status": "Pass", "vc": "v1", "jobid": "j1", "user": "u1",
   "submitted_time": "2026-01-01 00:00:00",
   "attempts": [
     {"start_time": "2026-01-01 00:01:00", "end_time": "2026-01-01 00:02:00", "detail": []},
     {"start_time": "2026-01-01 00:10:00", "end_time": "2026-01-01 00:20:00",
      "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu3", "gpu4"]}]}]},
  {"status": "Killed", "vc": "v1", "jobid": "j2", "user": "u1",
   "submitted_time": "2026-01-01 00:00:30", "attempts": []},
  {"status": "Failed", "vc": "v2", "jobid": "j3", "user": "u2",
   "submitted_time": "2026-01-01 00:00:40",
   "attempts": [{"start_time": "2026-01-01 00:01:00", "end_time": "None",
      "detail": [{"ip": "m1", "gpus": ["gpu0"]}, {"ip": "m2", "gpus": ["gpu3", "gpu4"]}]}]}
])";

}  // namespace

TEST_CASE("philly: an element is a job; its GPUs are those of its last attempt",
          "[workloads][philly]") {
    const auto trace = read_trace("philly", job_log);
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 3);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "j1");
    CHECK(first.user == "u1");
    CHECK(first.queue == "v1");
    CHECK(first.members == 2);
    CHECK(first.gpus == GpuRequest{1000, 2, {}});
    CHECK(first.submit == 0s);
    CHECK(first.start == 60s);
    CHECK(first.finish == 1200s);
    CHECK(first.duration() == 660s);
    CHECK(first.status == TraceStatus::completed);
    CHECK(trace.jobs[1].gpus == GpuRequest{});
    CHECK(trace.jobs[1].members == 1);
    CHECK(trace.jobs[1].status == TraceStatus::cancelled);
    CHECK(trace.jobs[2].members == 3);  // unequal servers: counted GPU by GPU
    CHECK(trace.jobs[2].gpus == GpuRequest{1000, 1, {}});
    CHECK_FALSE(trace.jobs[2].finish);
    CHECK(trace.lines == std::vector<std::uint64_t>{2, 8, 10});
}

TEST_CASE("philly: what is wrong with an element is said where it stands", "[workloads][philly]") {
    const auto error_of = [](const std::string& text) { return read_trace("philly", text).error; };
    CHECK(error_of("[{\"jobid\": \"a\"},\n {\"jobid\": \"b\",\n  \"status\": \"Lost\"}]") ==
          "t:3:13: error: unknown status 'Lost': expected Pass, Killed or Failed\n"
          "    \"status\": \"Lost\"}\n"
          "              ^~~~~~");
    CHECK_THAT(error_of("[{\"jobid\": \"a\", \"submitted_time\": \"noon\"}]"),
               Contains("t:1:35: error: no date 'noon'"));
    CHECK_THAT(error_of("[{}]"), Contains("t:1:2: error: a job without a jobid"));
    CHECK_THAT(error_of("[{\"jobid\" 1}]"), Contains("t:1:11: error: no JSON"));
    CHECK_THAT(error_of("[7]"), Contains("t:1:2: error: no object"));
    CHECK_THAT(error_of(job_log.substr(0, job_log.size() - 2)), Contains("ends within a list"));
    CHECK_THAT(error_of(job_log.substr(0, job_log.size() - 10)),
               Contains("ends within an element"));
    CHECK_THAT(
        error_of("[{\"jobid\": \"a\", \"attempts\": [{\"start_time\": \"2026-01-01 00:00:02\", "
                 "\"end_time\": \"2026-01-01 00:00:01\"}]}]"),
        Contains("ends before it starts"));
    CHECK_THAT(error_of(""), Contains("t:1:1: error: empty"));
    CHECK(read_trace("philly", "[]").error.empty());
    const auto lenient = read_lenient("philly", "[{\"jobid\":}, {\"jobid\": \"a\"}, {\"job");
    CHECK(lenient.jobs.size() == 1);
    CHECK(lenient.skipped.count == 2);
}
