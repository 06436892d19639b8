// Foreign files: traces in place of a document, and files that are not traces. Each is read if its
// format is given, or is refused with a hint at what reads it.

#include <catch2/catch.hpp>
#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"
#include "packed.hpp"

using namespace berth::tests;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string table = "timestamp,duration,num_gpus\n0,60,1\n30,60,2\n";
const std::string swf = "7 30 5 20 4 19 512 8 60 1024 1 3 1 -1 5 1 -1 -1\n";

std::string first_refusal(const Folder& folder, const Arguments& arguments) {
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    return answer.first_line();
}

}  // namespace

TEST_CASE("trace files: a table is read as the trace that it looks like, and that is said",
          "[cli][trace-files]") {
    const Folder folder;
    folder.write("table.csv", table);
    const Answer answer = folder.berth({"workload", "table.csv"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               StartsWith("table.csv: note: read as a trace of the format csv, since its header "
                          "tells gpus, submit and run_time; --from names another\n") &&
                   Contains("table.csv: warning: the column 'num_gpus' is read as gpus") &&
                   Contains("the column 'timestamp' is read as submit"));
    CHECK_THAT(answer.out, Contains("jobs            2\n") && Contains("nvidia.com/gpu  3 in all"));

    const auto rows = csv_rows(done(folder, {"workload", "table.csv", "--to", "csv"}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].at("submit_s") == "30");
    CHECK(rows[1].at("duration_s") == "60");
    CHECK(rows[1].at("nvidia.com/gpu") == "2");

    folder.write("log", swf);
    CHECK_THAT(folder.berth({"validate", "log"}).err,
               Contains("read as a trace of the format swf"));
    CHECK(done(folder, {"validate", "log"}) == "log: valid\n");
    CHECK(folder.berth({"workload", "log", "--from", "swf"}).err.empty());
}

TEST_CASE("trace files: the guess is overruled, and columns are named", "[cli][trace-files]") {
    const Folder folder;
    folder.write("t.csv", "when,how long,n\n0,60,1\n30,60,2\n");
    CHECK_THAT(first_refusal(folder, {"workload", "t.csv"}),
               Contains("t.csv: error: is a table whose columns do not say when jobs come") &&
                   Contains("--columns submit=COLUMN,run_time=COLUMN"));
    const Arguments mapped{
        "workload", "t.csv", "--columns", "submit=when,run_time=how long", "--columns", "gpus=n"};
    const Answer answer = folder.berth(mapped);
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
    CHECK_THAT(answer.out, Contains("run time        60 s on average"));
    CHECK(folder.berth({"validate", "t.csv", "--columns", "submit=when"}).status == 0);
    CHECK_THAT(first_refusal(folder, {"workload", "t.csv", "--columns", "when"}),
               StartsWith("berth workload: error: --columns 'when': expected FIELD=COLUMN"));
    CHECK_THAT(
        first_refusal(folder, {"workload", "t.csv", "--from", "swf", "--columns", "submit=when"}),
        StartsWith("berth workload: error: --columns beside --from swf"));

    folder.write("state.csv", "job_id,submit_time,duration,state\n1,0,60,3\n");
    CHECK_THAT(first_refusal(folder, {"workload", "state.csv", "--from", "csv"}),
               Contains("unknown status '3'"));
    CHECK(folder.berth({"workload", "state.csv", "--columns", "status="}).status == 0);

    folder.write("log", swf);
    CHECK_THAT(first_refusal(folder, {"workload", "log", "--from", "csv"}),
               Contains("no job column") && Contains("the file looks like swf, since its lines"));
    CHECK_THAT(first_refusal(folder, {"workload", "log", "--from", "swff"}),
               Contains("unknown trace format 'swff'") && Contains("did you mean 'swf'?"));
}

TEST_CASE("trace files: what a pipe holds is looked at too", "[cli][trace-files]") {
    const Folder folder;
    const Answer guessed = folder.berth({"workload", "-", "--to", "csv"}, {.input = swf});
    CHECK(guessed.status == 0);
    CHECK_THAT(guessed.err, StartsWith("-: note: read as a trace of the format swf"));
    CHECK(csv_rows(guessed.out).size() == 1);
    CHECK_THAT(folder.berth({"workload", "-", "--check"}, {.input = table}).out,
               StartsWith("-: usable"));
    const std::string document =
        "kind: Workload\nspec: {types: {t: {cpu: 1}}, sources: [{pods: [{type: t, at: 1s}]}]}\n";
    CHECK_THAT(folder.berth({"workload", "-"}, {.input = document}).out,
               Contains("jobs            1\n"));
}

TEST_CASE("trace files: new names of options, and the older ones", "[cli][trace-files]") {
    const Folder folder;
    folder.write("log", swf);
    const std::string rows = done(folder, {"workload", "log", "--from", "swf", "--to", "jsonl"});
    CHECK(done(folder, {"workload", "log", "--trace", "swf", "--format", "jsonl"}) == rows);
    CHECK(done(folder, {"workload", "log", "--trace", "swf", "-f", "jsonl"}) == rows);
    CHECK(first_refusal(folder, {"workload", "log", "--from", "swf", "--trace", "swf"}) ==
          "berth workload: error: --from beside --trace: expected one of them, since --trace is "
          "the older name of --from");
    CHECK(
        first_refusal(folder, {"workload", "log", "--format", "swf"}) ==
        "berth workload: error: unknown format 'swf': expected csv or jsonl; --from swf says what "
        "FILE is");

    folder.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn,8000,1024,2,G1\n");
    const std::string json =
        done(folder, {"topology", "nodes.csv", "--from", "openb", "--to", "json"});
    CHECK_THAT(json, Contains("\"kind\": \"Topology\""));
    const Answer older = folder.berth({"topology", "nodes.csv", "--format", "json"});
    CHECK(older.out == json);
    CHECK_THAT(older.err,
               StartsWith("nodes.csv: warning: read as nodes of the format openb, since its header "
                          "has sn and cpu_milli; --from names another"));
    CHECK_THAT(first_refusal(folder, {"topology", "nodes.csv", "--from", "opnb"}),
               Contains("unknown format 'opnb' of nodes") && Contains("did you mean 'openb'?"));
    CHECK_THAT(first_refusal(folder, {"topology", "nodes.csv", "--to", "json", "--format", "json"}),
               Contains("--to beside --format"));
}

TEST_CASE("trace files: what is no text is refused by name in every command",
          "[cli][trace-files]") {
    const Folder folder;
    folder.write("x.parquet", "PAR1\x15\x04PAR1");
    folder.write("web", "<!DOCTYPE html>\n<html></html>\n");
    for (const char* command : {"run", "sweep", "validate", "workload", "topology"}) {
        CAPTURE(command);
        CHECK_THAT(first_refusal(folder, {command, "x.parquet"}),
                   StartsWith("x.parquet: error: is a Parquet file: expected ") &&
                       Contains("a table in text"));
        CHECK_THAT(first_refusal(folder, {command, "web"}),
                   StartsWith("web: error: is a web page"));
    }
    CHECK_THAT(first_refusal(folder, {"workload", "x.parquet", "--from", "csv"}),
               Contains("; the file is a Parquet file: expected a table in text"));
}

TEST_CASE("trace files: an experiment says its format; the likely one is proposed",
          "[cli][trace-files]") {
    const Folder folder;
    folder.write("log", swf);
    const std::string head =
        "kind: Experiment\nmetadata: {name: x}\nspec:\n  topology: {spec: {levels: [{name: server, "
        "count: 1}], machines: [{type: m}], machineTypes: {m: {capacity: {cpu: 8}}}}}\n";
    folder.write("none.yaml", head + "  workload: [{trace: {file: log}}]\n");
    CHECK_THAT(
        first_refusal(folder, {"run", "none.yaml"}),
        Contains("no 'format' beside the file: expected format: swf, since its lines have 18 "
                 "fields, numbers first"));
    folder.write("wrong.yaml", head + "  workload: [{trace: {format: csv, file: log}}]\n");
    CHECK_THAT(first_refusal(folder, {"run", "wrong.yaml"}),
               Contains("no job column") && Contains("; the file looks like swf, since"));
    folder.write("columns.yaml",
                 head + "  workload: [{trace: {format: swf, file: log, columns: {submit: x}}}]\n");
    CHECK_THAT(first_refusal(folder, {"run", "columns.yaml"}),
               Contains("columns beside format swf: expected format: csv or jsonl"));
}

TEST_CASE("trace files: jobs that tell their end and not their start are said",
          "[cli][trace-files]") {
    const Folder folder;
    folder.write("t.csv", "name,submit,finish\na,0,60\nb,0,70\n");
    CHECK_THAT(folder.berth({"workload", "t.csv"}).err,
               Contains("2 of 2 jobs tell when they ended, and neither when they started nor how "
                        "long they ran: they run until the run ends"));
    folder.write("s.csv", "name,start,finish\na,0,60\n");
    CHECK_THAT(folder.berth({"workload", "s.csv"}).err, !Contains("tell when they ended"));
}

TEST_CASE("trace files: pods that their node refused are left out", "[cli][trace-files]") {
    const Folder folder;
    const std::string pod =
        R"({"kind": "Pod", "metadata": {"name": "NAME", "creationTimestamp": "2026-01-01T00:00:00Z"}, )"
        R"("spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]}, )"
        R"("status": STATUS})";
    const auto with = [&](const std::string& name, const std::string& status) {
        return replaced(replaced(pod, "NAME", name), "STATUS", status) + "\n";
    };
    folder.write(
        "pods.jsonl",
        with("refused", R"({"phase": "Failed", "startTime": "2026-01-01T00:00:01Z"})") +
            with("ran",
                 R"({"phase": "Failed", "startTime": "2026-01-01T00:00:01Z", "containerStatuses": )"
                 R"([{"state": {"terminated": {"finishedAt": "2026-01-01T00:10:01Z"}}}]})"));
    const Answer answer =
        folder.berth({"workload", "pods.jsonl", "--from", "kubernetes", "--check"});
    INFO(answer.err);
    CHECK_THAT(answer.out, Contains("jobs            1\n"));
    CHECK_THAT(answer.err,
               Contains("pods that failed before any of their containers started, as those that "
                        "their node refused: 1; they are left out"));
}

TEST_CASE("trace files: nodes that take no pods are no room for a trace", "[cli][trace-files]") {
    const Folder folder;
    folder.write(
        "n.json",
        R"({"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}, "status": )"
        R"({"allocatable": {"cpu": "4"}}}, {"kind": "Node", "metadata": {"name": "b"}, )"
        R"("spec": {"unschedulable": true}, "status": {"allocatable": {"cpu": "8"}}}]})");
    folder.write("t.csv", "name,submit,run_time,cpu\nx,0,60,8\ny,60,60,1\n");
    folder.write("e.yaml",
                 "kind: Experiment\nmetadata: {name: e}\nspec:\n  topology: {nodes: {format: "
                 "kubernetes, file: n.json}}\n  workload: [{trace: {format: csv, file: t.csv}}]\n");
    const Answer answer = folder.berth({"workload", "e.yaml", "--check"});
    INFO(answer.out);
    CHECK(answer.status == 1);
    CHECK_THAT(answer.out, Contains("2.25 times the cluster"));
}
