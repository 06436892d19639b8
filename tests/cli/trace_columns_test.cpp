// Tables of jobs whose columns have other names, and whose times count from 1970.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

struct Run {
    Answer answer;
    std::vector<CsvRow> pods;
};

Run run_of(const std::string& file, const std::string& text, const std::string& more = "") {
    const Folder folder;
    folder.write(file, text);
    const std::string format = file.substr(file.find('.') + 1);
    folder.write("trace.yaml",
                 "kind: Experiment\nmetadata: {name: trace}\nspec:\n"
                 "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}],\n"
                 "    machineTypes: {m: {capacity: {cpu: 8}}}}}\n"
                 "  workload: [{trace: {format: " +
                     format + ", file: " + file + more + "}}]\n");
    Run run{folder.berth({"run", "trace.yaml", "--quiet"}), {}};
    if (run.answer.status == 0) {
        run.pods = csv_rows(folder.read("out/trace/pods.csv"));
    }
    return run;
}

}  // namespace

TEST_CASE("trace columns: other names are recognised and said", "[cli][trace-columns]") {
    for (const auto& [file, text] :
         {std::pair("jobs.csv", "name,submit,duration,cpu\na,0,60,1\nb,10,30,1\n"),
          std::pair("jobs.jsonl",
                    "{\"name\": \"a\", \"submit\": 0, \"duration\": 60, \"cpu\": 1}\n"
                    "{\"name\": \"b\", \"submit\": 10, \"duration\": 30, \"cpu\": 1}\n")}) {
        CAPTURE(file);
        const Run run = run_of(file, text);
        REQUIRE(run.pods.size() == 2);
        CHECK(run.pods[0].at("finish_s") == "60");
        CHECK(run.pods[1].at("finish_s") == "40");
        CHECK_THAT(
            run.answer.err,
            Catch::Contains("warning: the column 'duration' is read as run_time; columns: "));
    }
}

TEST_CASE("trace columns: an estimate is read as the limit of time", "[cli][trace-columns]") {
    const std::string column = GENERATE("estimate", "estimate_s", "time_limit_s", "walltime");
    const Run run = run_of("jobs.csv", "name,submit,run_time,cpu," + column + "\na,0,60,1,70\n");
    REQUIRE(run.pods.size() == 1);
    CHECK_THAT(run.answer.err,
               Catch::Contains("warning: the column '" + column + "' is read as time_limit"));
}

TEST_CASE("trace columns: a name that only resembles one is said", "[cli][trace-columns]") {
    const Run run = run_of("jobs.csv", "name,submit,run_tme,cpu,mem_gb\na,0,60,1,2\n", "");
    CHECK(run.answer.status == 0);
    CHECK_THAT(run.answer.err,
               Catch::Contains("warning: the column 'run_tme' is not read: columns: {run_time: "
                               "run_tme} reads it as run_time"));
    CHECK_THAT(
        run.answer.err,
        Catch::Contains("warning: the column 'mem_gb' is not read: columns: {memory: mem_gb} "
                        "reads it as memory"));
    CHECK_THAT(run.answer.err,
               Catch::Contains("warning: 1 of 1 jobs tell neither how long they run nor when they "
                               "end: they run until the run ends"));
}

TEST_CASE("trace columns: times since 1970 begin with the first job", "[cli][trace-columns]") {
    const std::string unit = GENERATE("", "000", "000000", "000000000");
    const std::string text =
        "name,submit,run_time,cpu\na,1600000000" + unit + ",60,1\nb,1600000010" + unit + ",60,1\n";
    const Run run = run_of("jobs.csv", text);
    REQUIRE(run.pods.size() == 2);
    CHECK(run.pods[0].at("submit_s") == "0");
    CHECK(run.pods[1].at("submit_s") == "10");
    CHECK_THAT(
        run.answer.err,
        Catch::Contains("warning: the first job arrives at 1600000000 s of the trace, a time "
                        "since 1970, and at 0 s of the run: set zero: trace to keep"));

    const Run kept = run_of("jobs.csv", text, ", zero: trace");
    CHECK(kept.pods[0].at("submit_s") == "1600000000");
    CHECK(kept.answer.err.empty());
    CHECK(run_of("jobs.csv", text, ", zero: first-arrival").answer.err.empty());
}

TEST_CASE("trace columns: other separators are read and said", "[cli][trace-columns]") {
    const std::string other = GENERATE(";", "|");
    const Run run =
        run_of("jobs.csv",
               "name" + other + "submit" + other + "run_time\na" + other + "0" + other + "60\n");
    REQUIRE(run.pods.size() == 1);
    CHECK(run.pods[0].at("finish_s") == "60");
    CHECK_THAT(run.answer.err,
               Catch::Contains("warning: its columns have '" + other + "' between them"));
    CHECK_THAT(run_of("jobs.csv", "").answer.first_line(),
               Catch::EndsWith("/jobs.csv:1:1: error: empty: expected a header"));
}
