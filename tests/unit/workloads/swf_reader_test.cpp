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

TEST_CASE("swf: a line is a job of processors, -1 is unknown", "[workloads][swf]") {
    const auto trace = read_trace("swf",
                                  "; Version: 2.2\n"
                                  ";\r\n"
                                  "\n"
                                  "  1  0 100.5 20 4 19.5 512 8 60 1024 1 3 1 -1 5 1 -1 -1\r\n"
                                  "\t2 10 -1 -1 -1 -1 512 2 -1 -1 5 -1 1 -1 -1 2 -1 -1\n"
                                  "3 20 0 0 1 0 -1 -1 -1 -1 0 -1 1 -1 -1 -1 -1 -1");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 3);
    CHECK(trace.lines == std::vector<std::uint64_t>{4, 5, 6});
    const auto& first = trace.jobs[0];
    CHECK(first.name == "1");
    CHECK(first.members == 4);
    CHECK(first.cpu_milli == 1000);
    CHECK(first.memory_bytes == 1024 * 1024);
    CHECK(first.submit == 0s);
    CHECK(first.start == 100500ms);
    CHECK(first.run_time == 20s);
    CHECK(first.finish == 120500ms);
    CHECK(first.time_limit == 60s);
    CHECK(first.user == "user-3");
    CHECK(first.queue == "queue-5");
    CHECK(first.status == TraceStatus::completed);
    const auto& second = trace.jobs[1];
    CHECK(second.members == 2);
    CHECK(second.memory_bytes == 512 * 1024);
    CHECK_FALSE(second.start);
    CHECK_FALSE(second.duration());
    CHECK(second.user.empty());
    CHECK(second.queue == "partition-2");
    CHECK(second.status == TraceStatus::cancelled);
    CHECK(trace.jobs[2].duration() == 0s);
    CHECK(trace.jobs[2].status == TraceStatus::failed);
}

TEST_CASE("swf: what is wrong with a line is said where it stands", "[workloads][swf]") {
    const auto error_of = [](const std::string& line) { return read_trace("swf", line).error; };
    CHECK(error_of("; head\n 1 0 0 x 4 -1 -1 8 60 -1 1 3 1 -1 5 1 -1 -1\n") ==
          "t:2:8: error: run time: no number 'x': expected seconds, or -1\n"
          "   1 0 0 x 4 -1 -1 8 60 -1 1 3 1 -1 5 1 -1 -1\n"
          "         ^");
    CHECK_THAT(error_of("1 -5 0 1 4 -1 -1 8 60 -1 1 3 1 -1 5 1 -1 -1\n"),
               Contains("t:1:3: error: submit time: negative '-5'"));
    CHECK_THAT(error_of("1 0 0 1 -1 -1 -1 -1 60 -1 1 3 1 -1 5 1 -1 -1\n"),
               Contains("no processors, neither allocated nor requested"));
    CHECK_THAT(error_of("1 0 0 1 4 -1 -1 8 60 -1 9 3 1 -1 5 1 -1 -1\n"),
               Contains("unknown status '9': expected -1 or 0 to 5"));
    CHECK_THAT(error_of("1 0 0 1 4 -1 -1 8 60\n"), Contains("t:1:1: error: 9 fields: expected 18"));
    CHECK_THAT(error_of("1 4e9 4e9 1 4 -1 -1 8 60 -1 1 3 1 -1 5 1 -1 -1\n"),
               Contains("a wait that ends within 146 years"));
    CHECK_THAT(error_of(""), Contains("t:1:1: error: empty: expected jobs, 18 fields a line"));
    const auto lenient =
        read_lenient("swf", "1 2\n3 4\n; x\n1 0 0 1 4 -1 -1 8 60 -1 1 3 1 -1 5 1 -1 -1");
    CHECK(lenient.jobs.size() == 1);
    CHECK(lenient.skipped.count == 2);
}

TEST_CASE("swf: what lines have beyond the 18 fields is not read, and said", "[workloads][swf]") {
    const std::string fields = "1 0 5 20 4 19 512 8 60 1024 1 3 1 -1 5 1 -1 -1";
    const auto plain = read_trace("swf", fields + "\n");
    REQUIRE(plain.jobs.size() == 1);
    const auto same = [&](const std::string& line) {
        CAPTURE(line);
        const auto trace = read_trace("swf", line);
        CHECK(trace.error.empty());
        CHECK(trace.jobs == plain.jobs);
        return trace.notes.empty() ? "" : trace.notes[0];
    };
    CHECK(same(fields + " 7 x\n") ==
          "line 1 has 20 fields, of which those behind the 18th are not read");
    CHECK(same(fields + " {gpus: 2, {x}} 3\n") ==
          "line 1 has 20 fields, of which those behind the 18th are not read");
    CHECK(same("{ " + fields + " }\n") == "line 1 is read without the braces around it");
    CHECK(same("{1, 0, 5, 20, 4, 19, 512, 8, 60, 1024, 1, 3, 1, -1, 5, 1, -1, -1}") ==
          "line 1 is read without the braces around it");
    CHECK(same(fields + " ; a comment of 4 words\n").empty());
    CHECK(same("# a comment\n" + fields + "\n").empty());
    // A text in braces is one field, so that the fields behind it keep their places.
    CHECK(same("1 0 5 20 4 19 512 8 60 1024 1 3 1 {a b c} 5 1 -1 -1\n").empty());
}

TEST_CASE("swf: braces do not hide what is missing", "[workloads][swf]") {
    const auto error_of = [](const std::string& line) { return read_trace("swf", line).error; };
    CHECK_THAT(error_of("{1, 0, 5}\n"), Contains("t:1:1: error: 3 fields: expected 18"));
    CHECK_THAT(error_of("{1,,5,20,4,19,512,8,60,1024,1,3,1,-1,5,1,-1,-1}\n"),
               Contains("submit time: no number ''"));
    CHECK_THAT(error_of("1 0 5 20 {0 1} 19 512 8 60 1024 1 3 1 -1 5 1 -1 -1\n"),
               Contains("processors: no number '{0 1}'"));
    CHECK_THAT(error_of("1 0 5 {20 4 19 512 8 60 1024 1 3 1 -1 5 1 -1 -1\n"),
               Contains("4 fields: expected 18"));
}

TEST_CASE("swf: an archive's log is read whole, where it is", "[workloads][swf]") {
    const std::string file = BERTH_SOURCE_DIR "/../shared/data/hpc/hpc2n.swf";
    if (!std::filesystem::exists(file)) {
        return;
    }
    const auto trace = berth::tests::read_all(*berth::workloads::open_trace("swf", file, {}));
    REQUIRE(trace.jobs.size() == 3170);
    CHECK(trace.jobs[0].members == 30);
    CHECK(trace.jobs[0].start == 308'434s);
    CHECK(trace.jobs[0].run_time == 31'405s);
}
