#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::core::GpuRequest;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;

TEST_CASE("csv: without a mapping a field's own name is its column", "[workloads][csv]") {
    const auto trace = read_trace("csv",
                                  "name,user,queue,application,priority,members,cpu,memory,gpus,"
                                  "gpu_models,rdma_percent,per_server_max,submit,start,finish,"
                                  "run_time,time_limit,status\n"
                                  "a,u,q,app,-3,4,500m,16Gi,0.25,M1|M2,50,2,0.5,1,11,,1h30m,"
                                  "completed\n"
                                  ",,,,,,,,,,,,2,None,NaN,00:01:00,null,NODE_FAIL\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "a");
    CHECK(first.user == "u");
    CHECK(first.queue == "q");
    CHECK(first.application == "app");
    CHECK(first.priority == -3);
    CHECK(first.members == 4);
    CHECK(first.cpu_milli == 500);
    CHECK(first.memory_bytes == 16LL << 30);
    CHECK(first.gpus == GpuRequest{250, 1, {"M1", "M2"}});
    CHECK(first.rdma_percent == 50);
    CHECK(first.per_server_max == 2);
    CHECK(first.submit == 500ms);
    CHECK(first.duration() == 10s);
    CHECK(first.time_limit == 90min);
    CHECK(first.status == TraceStatus::completed);
    const auto& second = trace.jobs[1];
    CHECK(second.name == "job-3");
    CHECK(second.members == 1);
    CHECK(second.gpus == GpuRequest{});
    CHECK(second.run_time == 60s);
    CHECK(second.status == TraceStatus::node_failed);
}

TEST_CASE("csv: columns are mapped by their fields' names, dates begin at the first job",
          "[workloads][csv]") {
    berth::workloads::TraceOptions options;
    options.columns = {
        {"name", "Job"}, {"gpus", "GPUs"}, {"submit", "When"}, {"memory_mib", "MiB"}};
    const auto trace = read_trace("csv", "When,x\n", options);
    CHECK_THAT(trace.error, Contains("no column 'Job'"));
    const auto mapped = read_trace("csv",
                                   "Job,GPUs,When,MiB\n"
                                   "a,2,2026-01-01 00:00:10,512\n"
                                   "b,0,2026-01-01T01:00:10+01:00,1.5\n"
                                   "c,0,2026-01-02T00:00:10Z,0\n",
                                   options);
    REQUIRE(mapped.error.empty());
    REQUIRE(mapped.jobs.size() == 3);
    CHECK(mapped.jobs[0].gpus == GpuRequest{1000, 2, {}});
    CHECK(mapped.jobs[0].submit == 0s);
    CHECK(mapped.jobs[1].submit == 0s);
    CHECK(mapped.jobs[1].memory_bytes == 3LL << 19);
    CHECK(mapped.jobs[2].submit == 24h);
}

TEST_CASE("csv: what separates columns is seen in the header, and said", "[workloads][csv]") {
    const std::string between = GENERATE(";", "\t", "|");
    const auto trace = read_trace("csv",
                                  "name" + between + "submit" + between + "cpu\n\"a" + between +
                                      "b\"" + between + "3" + between + "2\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    CHECK(trace.jobs[0].name == "a" + between + "b");
    CHECK(trace.jobs[0].submit == 3s);
    const std::string described = between == "\t" ? "tabs" : "'" + between + "'";
    CHECK(trace.notes ==
          std::vector<std::string>{"its columns have " + described + " between them"});
    // A comma in place of a decimal point is neither a separator nor part of a number.
    if (between == ";") {
        CHECK_THAT(read_trace("csv", "name;submit;run_time\na;0;1,5\n").error,
                   Contains("run_time: no length of time '1,5'"));
    }
}

TEST_CASE("csv: names in other styles", "[workloads][csv]") {
    const auto trace =
        read_trace("csv", "JobID,SubmitTime,Duration (s),NumGPUs,CPUs,Queue\n7,1,60,2,4,q\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    CHECK(trace.jobs[0].name == "7");
    CHECK(trace.jobs[0].submit == 1s);
    CHECK(trace.jobs[0].run_time == 60s);
    CHECK(trace.jobs[0].gpus == GpuRequest{1000, 2, {}});
    CHECK(trace.jobs[0].cpu_milli == 4000);
    CHECK(trace.jobs[0].queue == "q");
    REQUIRE(trace.notes.size() == 1);
    CHECK_THAT(trace.notes[0],
               Contains("the column 'SubmitTime' is read as submit") &&
                   Contains("; numbers without a unit are seconds"));
}

TEST_CASE("csv: time limits of Slurm's database are minutes", "[workloads][csv]") {
    const auto limit_of = [](const std::string& column,
                             const std::string& cell,
                             const std::string& more = "submit",
                             const berth::workloads::TraceOptions& options = {}) {
        const auto trace =
            read_trace("csv", more + ",run_time," + column + "\n0,60," + cell + "\n", options);
        CHECK(trace.error.empty());
        const bool told = std::ranges::any_of(trace.notes, [](const std::string& note) {
            return note.find("is a time limit in minutes where it has no unit") != note.npos;
        });
        CHECK(told == (trace.jobs.at(0).time_limit == 24h || cell != "1440"));
        return trace.jobs.at(0).time_limit;
    };
    CHECK(limit_of("timelimit", "1440") == 24h);
    CHECK(limit_of("Timelimit", "1-00:00:00") == 24h);
    CHECK(limit_of("timelimit", "90m") == 90min);
    CHECK_FALSE(limit_of("timelimit", "4294967295"));
    CHECK(limit_of("time_limit", "1440", "time_submit") == 24h);
    CHECK(limit_of("time_limit", "1440") == 24min);
    CHECK(limit_of("walltime", "1440") == 24min);
    berth::workloads::TraceOptions stated;
    stated.columns = {{"time_limit", "timelimit"}};
    CHECK(limit_of("timelimit", "1440", "submit", stated) == 24min);
    CHECK(limit_of("timelimit", "1440", "time_submit", stated) == 24h);
}

TEST_CASE("csv: what squeue prints is said to be that", "[workloads][csv]") {
    const auto trace = read_trace("csv",
                                  "JOBID|STATE|SUBMIT_TIME|START_TIME|END_TIME\n"
                                  "7|RUNNING|2026-01-01T00:00:00|2026-01-01T00:00:01|"
                                  "2026-01-01T01:00:01\n");
    CHECK(std::ranges::any_of(trace.notes, [](const std::string& note) {
        return note.starts_with("it is what squeue prints: jobs that run end with their limit");
    }));
}

TEST_CASE("csv: one column is not read as two fields unless both are named", "[workloads][csv]") {
    berth::workloads::TraceOptions options;
    options.columns = {{"cpu", "gpus"}};
    const auto once = read_trace("csv", "submit,run_time,gpus\n0,60,8\n", options);
    REQUIRE(once.jobs.size() == 1);
    CHECK(once.jobs[0].cpu_milli == 8000);
    CHECK(once.jobs[0].gpus.count == 0);
    CHECK(once.notes ==
          std::vector<std::string>{"the column 'gpus' is read as cpu alone, and not as gpus: "
                                   "columns: {cpu: gpus, gpus: gpus} reads it as both"});
    options.columns["gpus"] = "gpus";
    const auto both = read_trace("csv", "submit,run_time,gpus\n0,60,8\n", options);
    REQUIRE(both.jobs.size() == 1);
    CHECK(both.jobs[0].gpus.count == 8);
    CHECK(both.notes.empty());
}

TEST_CASE("csv: a timestamp is when jobs come where no other column is", "[workloads][csv]") {
    const auto submit_of = [](const std::string& text) {
        const auto trace = read_trace("csv", text);
        CHECK(trace.error.empty());
        REQUIRE(trace.jobs.size() == 1);
        return trace.jobs[0].submit;
    };
    CHECK(submit_of("timestamp,duration,num_gpus\n5,60,1\n") == 5s);
    CHECK(submit_of("time,duration,num_gpus\n5,60,1\n") == 5s);
    CHECK(submit_of("timestamp,submit_time,num_gpus\n5,7,1\n") == 7s);
    CHECK_FALSE(submit_of("timestamp,start_time,num_gpus\n5,7,1\n"));
    // It is unknown whether this column says how long or when, so it is not read, and a note says
    // so.
    const auto trace = read_trace("csv", "name,time,num_gpus\na,5,1\n");
    REQUIRE(trace.jobs.size() == 1);
    CHECK_FALSE(trace.jobs[0].submit);
    CHECK_FALSE(trace.jobs[0].run_time);
    CHECK_THAT(trace.notes.back(), Contains("the column 'time' is not read"));
}

TEST_CASE("csv: a field without a column is not read", "[workloads][csv]") {
    const std::string text = "name,submit,state\na,0,3\n";
    CHECK_THAT(read_trace("csv", text).error,
               Contains("unknown status '3'") && Contains("columns: {status: ''} leaves"));
    berth::workloads::TraceOptions options;
    options.columns = {{"status", ""}};
    const auto trace = read_trace("csv", text, options);
    REQUIRE(trace.error.empty());
    CHECK(trace.jobs[0].status == TraceStatus::unknown);
    CHECK(trace.notes.empty());
    options.columns = {{"name", ""}, {"submit", ""}};
    CHECK(read_trace("jsonl", "{\"name\": \"a\", \"submit\": 3}\n", options).jobs[0].name ==
          "job-1");
}

TEST_CASE("csv: an unknown field in the mapping is named with the nearest", "[workloads][csv]") {
    berth::workloads::TraceOptions options;
    options.columns = {{"submitt", "When"}};
    for (const char* const format : {"csv", "jsonl"}) {
        const auto trace = read_trace(format, "{\"When\":1}\n", options);
        CHECK_THAT(trace.error,
                   Contains("t: error: columns: unknown field 'submitt': expected name"));
        CHECK_THAT(trace.error, Contains("did you mean 'submit'?"));
    }
}

TEST_CASE("csv: what is wrong with a row is said where it stands", "[workloads][csv]") {
    const auto error_of = [](const std::string& text) { return read_trace("csv", text).error; };
    CHECK_THAT(error_of("name,submit\na,-1\n"), Contains("t:2:3: error: submit: negative '-1'"));
    CHECK_THAT(error_of("name,submit\na,noon\n"),
               Contains("submit: no time 'noon': expected seconds"));
    CHECK_THAT(error_of("submit,start,finish\n1,3,2\n"),
               Contains("t:2:1: error: ends before it starts"));
    CHECK_THAT(error_of("submit,start\n1,2026-01-01\n"), Contains("some times are dates"));
    CHECK_THAT(error_of("gpus\n1.5\n"), Contains("a share of several GPUs"));
    CHECK_THAT(error_of("gpus,gpu_milli\n2,500\n"), Contains("a share of several GPUs"));
    CHECK_THAT(error_of("members\n0\n"), Contains("no members"));
    CHECK_THAT(error_of("cpu\nmany\n"), Contains("cpu: no quantity 'many': expected CPU cores"));
    CHECK_THAT(error_of("priority\n1.5\n"), Contains("priority: no priority '1.5'"));
    CHECK_THAT(error_of("status\ndone\n"), Contains("status: unknown status 'done'"));
    CHECK_THAT(error_of("time_limit\nlong\n"), Contains("no length of time 'long'"));
    CHECK_THAT(error_of("run_time\n60000d\n"),
               Contains("too long '60000d': expected at most 53375d, which is 146 years"));
    CHECK_THAT(error_of("run_time\n999999d\n"), Contains("too long '999999d'"));
    CHECK_THAT(error_of("run_time\n9999999999\n"), Contains("too long '9999999999'"));
    CHECK_THAT(error_of("run_time\n0.5ns\n"),
               Contains("too fine '0.5ns': expected whole nanoseconds"));
    CHECK_THAT(error_of("time_limit\n-60\n"), Contains("negative '-60'"));
    CHECK_THAT(error_of("time_limit\n-1h\n"), Contains("negative '-1h'"));
    CHECK_THAT(error_of("x,y\n1,2\n"), Contains("no job column: expected name, user"));
    CHECK_THAT(error_of(""), Contains("t:1:1: error: empty"));
}

TEST_CASE("jsonl: an object a line, its keys mapped like columns", "[workloads][jsonl]") {
    berth::workloads::TraceOptions options;
    options.columns = {{"name", "id"}, {"gpu_models", "on"}};
    const auto trace =
        read_trace("jsonl",
                   "{\"id\": \"a\\u00e9\\n\", \"gpus\": 0.5, \"on\": [\"M1\", \"M2\"], "
                   "\"other\": {\"x\": [1, {}]}, \"submit\": 1e1}\r\n"
                   "\n"
                   "{\"id\": 7, \"gpus\": null, \"cpu\": \"2\", \"status\": \"Failed\"}",
                   options);
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    CHECK(trace.jobs[0].name == "a\xC3\xA9\n");
    CHECK(trace.jobs[0].gpus == GpuRequest{500, 1, {"M1", "M2"}});
    CHECK(trace.jobs[0].submit == 10s);
    CHECK(trace.jobs[1].name == "7");
    CHECK(trace.jobs[1].cpu_milli == 2000);
    CHECK(trace.jobs[1].status == TraceStatus::failed);
    CHECK(trace.lines == std::vector<std::uint64_t>{1, 3});
}

TEST_CASE("jsonl: rows may have their keys in any order, and some twice", "[workloads][jsonl]") {
    const auto read =
        read_trace("jsonl",
                   "{\"name\": \"a\", \"user\": \"u\", \"gpus\": 1}\n"
                   "{\"gpus\": 2, \"user\": \"v\", \"name\": \"b\"}\n"
                   "{\"name\": \"c\", \"name\": \"d\", \"user\": null, \"user\": \"w\"}\n"
                   "{\"\": 1, \"other\": {\"name\": \"x\"}, \"n\\u0061me\": \"e\"}\n"
                   "{\"name\": \"f\", \"user\": \"u\", \"gpus\": 3}\n");
    REQUIRE(read.error.empty());
    REQUIRE(read.jobs.size() == 5);
    const auto is = [&](std::size_t job, const char* name, const char* user, std::int64_t gpus) {
        CHECK(read.jobs[job].name == name);
        CHECK(read.jobs[job].user == user);
        CHECK(read.jobs[job].gpus.count == gpus);
    };
    is(0, "a", "u", 1);
    is(1, "b", "v", 2);
    is(2, "c", "", 0);
    is(3, "e", "", 0);
    is(4, "f", "u", 3);
}

TEST_CASE("jsonl: rows of more keys than are remembered are read", "[workloads][jsonl]") {
    std::string row = "{";
    for (int key = 0; key < 100; ++key) {
        row += "\"k" + std::to_string(key) + "\": 1, ";
    }
    const auto read = read_trace("jsonl",
                                 row + "\"name\": \"a\"}\n" + row +
                                     "\"user\": \"u\", \"name\": \"b\"}\n{\"name\": \"c\"}\n");
    REQUIRE(read.jobs.size() == 3);
    CHECK(read.jobs[0].name == "a");
    CHECK(read.jobs[1].name == "b");
    CHECK(read.jobs[1].user == "u");
    CHECK(read.jobs[2].name == "c");
}

TEST_CASE("jsonl: what is wrong with a line is said where it stands", "[workloads][jsonl]") {
    const auto error_of = [](const std::string& text) { return read_trace("jsonl", text).error; };
    CHECK(error_of("{\"name\": \"a\"}\n{\"cpu\": \"x\"}\n") ==
          "t:2:9: error: no quantity 'x': expected CPU cores, as 2, 0.5 or 500m\n"
          "  {\"cpu\": \"x\"}\n"
          "          ^~~");
    CHECK_THAT(error_of("{\"cpu\": 1\n"), Contains("t:1:10: error: no JSON"));
    CHECK_THAT(error_of("[1]\n"), Contains("t:1:1: error: no object"));
    CHECK_THAT(error_of("{\"cpu\": {}}\n"), Contains("t:1:9: error: no text"));
    CHECK_THAT(error_of(""), Contains("empty: expected a JSON object a line"));
    const auto lenient = berth::tests::read_lenient("jsonl", "{\n{\"name\": \"a\"}\n{}x\n");
    CHECK(lenient.jobs.size() == 1);
    CHECK(lenient.skipped.count == 2);
}
