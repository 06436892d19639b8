#include <algorithm>
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
    // The user depends on whether the name is `a|b` or the comment is `gpu|x`.
    const std::string header_of_two = "JobID|JobName|User|Partition|Comment|Submit\n";
    const std::string row = "1|a|b|ann|gpu|x|2026-01-01T00:00:00\n";
    CHECK_THAT(read_trace("sacct", header_of_two + row).error,
               Contains("t:2:1: error: 7 fields: expected 6, as in the header: print the table "
                        "without JobName, Comment"));
    // A row that was cut short does not swallow the next row.
    const auto cut =
        read_lenient("sacct", texts_header + row_of(1, "a") + "2|b|ann|2026-0\n" + row_of(3, "c"));
    CHECK(names_of(cut) == std::vector<std::string>{"1", "3"});
    CHECK(cut.skipped.count == 1);
    // Too many ways count as none.
    const auto many = read_trace("sacct", texts_header + row_of(1, std::string(2000, '|')));
    CHECK_THAT(many.error, Contains("2008 fields: expected 8"));
    // The message for a wrong cell still says where the cell is.
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

namespace {

/// The only job of a table.
berth::workloads::TraceJob job_of(const std::string& table) {
    const auto trace = read_trace("sacct", table);
    CHECK(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    return trace.jobs[0];
}

/// Whether a note begins with this text.
bool has_note(const berth::tests::ReadTrace& trace, const std::string& beginning) {
    return std::ranges::any_of(
        trace.notes, [&](const std::string& note) { return note.starts_with(beginning); });
}

}  // namespace

TEST_CASE("sacct: other names for CPUs, nodes and GPUs", "[workloads][sacct]") {
    const auto old = job_of(
        "JobID|Submit|AllocCPUS|AllocNodes|AllocGRES|ReqGRES|ReqMem\n"
        "1|2026-01-01T00:00:00|48|3|gpu:m9:6|gpu:6|1Gc\n");
    CHECK(old.members == 3);
    CHECK(old.cpu_milli == 16'000);
    CHECK(old.memory_bytes == 16LL << 30);
    CHECK(old.gpus == berth::core::GpuRequest{1000, 2, {}});
    const auto waits = job_of(
        "JobID|Submit|AllocCPUS|AllocNodes|ReqCPUS|ReqNodes|AllocGRES|ReqGRES\n"
        "1|2026-01-01T00:00:00|0|0|8|2||gres:gpu:m9:2(S:0-1,3),license:1\n");
    CHECK(waits.members == 2);
    CHECK(waits.cpu_milli == 4000);
    CHECK(waits.gpus == berth::core::GpuRequest{1000, 1, {"m9"}});
    CHECK_THAT(read_trace("sacct", "JobID|Submit|ReqGRES\n1|2026-01-01T00:00:00|gpu:m9:x\n").error,
               Contains("ReqGRES: no generic resources 'gpu:m9:x': expected gpu:2"));
}

TEST_CASE("sacct: what was asked for says which GPUs will do, not what was got",
          "[workloads][sacct]") {
    const std::string head = "JobID|Submit|AllocTRES|ReqTRES\n1|2026-01-01T00:00:00|cpu=1,";
    CHECK(job_of(head + "gres/gpu:m9=2,gres/gpu=2|cpu=1,gres/gpu=2\n").gpus.models.empty());
    CHECK(job_of(head + "gres/gpu=2|cpu=1,gres/gpu:m8=2\n").gpus.models ==
          std::vector<std::string>{"m8"});
    const auto unknown = read_trace("sacct", head + "gres/gpu:m9=2|\n");
    CHECK(unknown.jobs.at(0).gpus.models == std::vector<std::string>{"m9"});
    CHECK(has_note(unknown, "jobs of which only the types of GPUs that they got are known: 1; "));
    const auto two =
        read_trace("sacct", head + "gres/gpu=2|gres/gpu:m8=1,gres/gpu:m9=1,gres/gpu=2\n");
    CHECK(two.jobs.at(0).gpus.count == 2);
    CHECK(has_note(two, "jobs with GPUs of several types: 1; "));
}

TEST_CASE("sacct: a job arrives when it became eligible, unless that is not wanted",
          "[workloads][sacct]") {
    const std::string table =
        "JobID|Submit|Eligible|Start|End|State\n"
        "1|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:01:00|FAILED\n"
        "2|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:01:05|2026-01-01T00:02:00|FAILED\n"
        "3|2026-01-01T00:00:00|2026-01-01T00:09:00|2026-01-01T00:01:05|2026-01-01T00:02:00|FAILED\n"
        "4|2026-01-01T00:00:00|Unknown|Unknown|Unknown|PENDING\n";
    const auto trace = read_trace("sacct", table);
    REQUIRE(trace.jobs.size() == 4);
    CHECK(trace.jobs[0].submit == 0s);
    CHECK(trace.jobs[1].submit == 60s);
    CHECK(trace.jobs[2].submit == 0s);  // held or requeued after its start
    CHECK(trace.jobs[3].submit == 0s);
    CHECK(trace.notes == std::vector<std::string>{
                             "jobs that became eligible later than they were submitted: 1; they "
                             "arrive then; with arrival: submit they arrive when they were "
                             "submitted"});
    berth::workloads::TraceOptions options;
    options.arrival = berth::workloads::TraceArrival::submit;
    const auto as_submitted = read_trace("sacct", table, options);
    CHECK(as_submitted.jobs.at(1).submit == 0s);
    CHECK(as_submitted.notes.empty());
}

TEST_CASE("sacct: an hour that comes twice, and one that never comes", "[workloads][sacct]") {
    const std::string head = "JobID|Submit|Start|End|Elapsed|State\n";
    const auto autumn = read_trace(
        "sacct",
        head + "1|2026-10-25T02:40:00|2026-10-25T02:50:00|2026-10-25T02:10:00|00:20:00|FAILED\n");
    REQUIRE(autumn.jobs.size() == 1);
    CHECK(autumn.jobs[0].run_time == 20min);
    CHECK(autumn.jobs[0].finish == 30min);
    CHECK(has_note(autumn, "jobs that ran while the clocks were changed: 1; "));
    const auto spring = job_of(
        head + "1|2026-03-29T01:40:00|2026-03-29T01:50:00|2026-03-29T03:10:00|00:20:00|FAILED\n");
    CHECK(spring.finish == 30min);
    CHECK_THAT(
        read_trace("sacct",
                   head + "1|2026-10-25T02:40:00|2026-10-25T02:50:00|2026-10-25T02:10:00|00:30:00|"
                          "FAILED\n")
            .error,
        Contains("End: ends before it starts '2026-10-25T02:10:00': expected no earlier End"));
}

TEST_CASE("sacct: an array that waits is its tasks", "[workloads][sacct]") {
    const auto tasks_of = [](const std::string& id) {
        const auto trace = read_trace("sacct",
                                      "JobID|Submit|State|ReqTRES\n" + id +
                                          "|2026-01-01T00:00:00|PENDING|cpu=2,node=1\n"
                                          "9|2026-01-01T00:00:01|PENDING|cpu=2,node=1\n");
        std::vector<std::string> names;
        for (const auto& job : trace.jobs) {
            CHECK(job.cpu_milli == 2000);
            names.push_back(job.name);
        }
        return names;
    };
    using Names = std::vector<std::string>;
    CHECK(tasks_of("7_[2-4]") == Names{"7_2", "7_3", "7_4", "9"});
    CHECK(tasks_of("7_[1,3-5%2]") == Names{"7_1", "7_3", "7_4", "7_5", "9"});
    CHECK(tasks_of("7_[0-6:3]") == Names{"7_0", "7_3", "7_6", "9"});
    CHECK(tasks_of("7_[0x1A]") == Names{"7_1", "7_3", "7_4", "9"});
    CHECK(tasks_of("7_[5]") == Names{"7_5", "9"});
    const auto limited =
        read_trace("sacct", "JobID|Submit|State\n7_[1-50%2]|2026-01-01T00:00:00|PENDING\n");
    CHECK(limited.jobs.size() == 50);
    CHECK(limited.jobs.back().application == "7");
    CHECK(has_note(limited, "arrays that wait, of which so many tasks may run at once ('%'): 1; "));
    for (const std::string tasks :
         {"1-3,5,...", "", "3-1", "1-3:0", "x", "0-4000001", "0x", "0x0"}) {
        CAPTURE(tasks);
        CHECK_THAT(read_trace("sacct",
                              "JobID|Submit|State\n7_[" + tasks + "]|2026-01-01T00:00:00|PENDING\n")
                       .error,
                   Contains("JobID: no tasks of an array '7_[" + tasks + "]': expected all of "));
    }
}

TEST_CASE("sacct: components of a job, jobs that still run, and runs that were given up",
          "[workloads][sacct]") {
    const auto trace =
        read_trace("sacct",
                   "JobID|Submit|Start|End|ElapsedRaw|State\n"
                   "6+0|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:01:00|55|COMPLETED\n"
                   "6+1|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:01:00|55|COMPLETED\n"
                   "7|2026-01-01T00:00:00|2026-01-01T00:00:05|Unknown|42|RUNNING\n"
                   "8|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:00:15|10|REQUEUED\n");
    REQUIRE(trace.jobs.size() == 4);
    CHECK_FALSE(trace.jobs[2].duration());
    CHECK(trace.jobs[3].status == TraceStatus::cancelled);
    CHECK(has_note(trace, "components of heterogeneous jobs, such as 12+0: 2; "));
    CHECK(has_note(trace, "jobs that still run, whose end is not known: 1; "));
}

TEST_CASE("sacct: JSON gives the jobs of the table", "[workloads][sacct]") {
    const std::string table =
        "JobID|User|Account|Partition|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|State|"
        "AllocTRES|ReqTRES|NNodes|Priority\n"
        "4|ann|lab|p|1760000000|1760000000|1760000005|1760000065|60|90|COMPLETED|cpu=8,mem=4000,"
        "node=2,gres/gpu:m9=2,gres/gpu=2|cpu=8,mem=4000,node=2,gres/gpu=2|2|7\n"
        "5_0|bob|lab|p|1760000001|1760000002|1760000005|1760000009|4|UNLIMITED|FAILED|cpu=1|cpu=1|"
        "1|7\n"
        "5_[3-4%1]|bob|lab|p|1760000001|1760000002|Unknown|Unknown|0|UNLIMITED|PENDING||cpu=1|1|7\n"
        "6+1|bob|lab|p|1760000001|1760000001|1760000005|Unknown|9|30|RUNNING|cpu=1|cpu=1|1|7\n";
    const std::string older = R"({"meta": {"x": [1]}, "errors": [], "jobs": [
 {"job_id": 4, "account": "lab", "user": "ann", "partition": "p", "priority": 7,
  "array": {"job_id": 0, "task": null, "task_id": null}, "het": {"job_id": 0, "job_offset": null},
  "time": {"elapsed": 60, "eligible": 1760000000, "end": 1760000065, "start": 1760000005,
           "submission": 1760000000, "limit": 90},
  "state": {"current": "COMPLETED", "reason": "None"}, "allocation_nodes": 2,
  "tres": {"allocated": [{"type": "cpu", "name": null, "count": 8}, {"type": "mem", "count": 4000},
      {"type": "energy", "count": null}, {"type": "node", "count": 2},
      {"type": "gres", "name": "gpu:m9", "count": 2}, {"type": "gres", "name": "gpu", "count": 2}],
    "requested": [{"type": "cpu", "count": 8}, {"type": "mem", "count": 4000},
      {"type": "node", "count": 2}, {"type": "gres", "name": "gpu", "count": 2}]},
  "steps": [{"time": {"elapsed": 1}}]},
 {"job_id": 9, "account": "lab", "user": "bob", "partition": "p", "priority": 7,
  "array": {"job_id": 5, "task": null, "task_id": 0}, "het": {"job_id": 0, "job_offset": null},
  "time": {"elapsed": 4, "eligible": 1760000002, "end": 1760000009, "start": 1760000005,
           "submission": 1760000001, "limit": null},
  "state": {"current": "FAILED"}, "allocation_nodes": 1,
  "tres": {"allocated": [{"type": "cpu", "count": 1}], "requested": [{"type": "cpu", "count": 1}]}},
 {"job_id": 5, "account": "lab", "user": "bob", "partition": "p", "priority": 7,
  "array": {"job_id": 5, "task": "0x18", "limits": {"max": {"running": {"tasks": 1}}}},
  "time": {"elapsed": 0, "eligible": 1760000002, "end": 0, "start": 0, "submission": 1760000001},
  "state": {"current": "PENDING"}, "allocation_nodes": 0,
  "tres": {"allocated": [], "requested": [{"type": "cpu", "count": 1}]}},
 {"job_id": 7, "account": "lab", "user": "bob", "partition": "p", "priority": 7,
  "array": {"job_id": 0}, "het": {"job_id": 6, "job_offset": 1},
  "time": {"elapsed": 9, "eligible": 1760000001, "end": 0, "start": 1760000005,
           "submission": 1760000001, "limit": 30},
  "state": {"current": "RUNNING"}, "allocation_nodes": 1,
  "tres": {"allocated": [{"type": "cpu", "count": 1}], "requested": [{"type": "cpu", "count": 1}]}}
 ], "warnings": []})";
    const auto expected = read_trace("sacct", table);
    REQUIRE(expected.error.empty());
    REQUIRE(expected.jobs.size() == 5);
    const auto read = read_trace("sacct", older);
    CHECK(read.error.empty());
    CHECK(read.jobs == expected.jobs);
    CHECK(read.notes == expected.notes);
    CHECK(read.lines == std::vector<std::uint64_t>{2, 13, 19, 19, 24});
}

TEST_CASE("sacct: JSON of newer versions, and what squeue prints", "[workloads][sacct]") {
    const auto trace = read_trace("sacct", R"({"jobs": [
 {"job_id": 4, "association": {"user": "ann"},
  "priority": {"set": true, "infinite": false, "number": 7},
  "array": {"job_id": 0, "task": "", "task_id": {"set": false, "infinite": false, "number": 0}},
  "het": {"job_id": 0, "job_offset": {"set": false, "number": 0}},
  "time": {"elapsed": 60, "end": 1760000065, "start": 1760000005, "submission": 1760000000,
           "limit": {"set": false, "infinite": true, "number": 0}},
  "state": {"current": ["CANCELLED"], "reason": "None"}, "required": {"CPUs": 3}},
 {"job_id": 5, "user_name": "bob", "job_state": ["RUNNING"],
  "array_job_id": {"set": true, "number": 0}, "array_task_id": {"set": false, "number": 0},
  "array_task_string": "", "het_job_id": {"set": true, "number": 0},
  "het_job_offset": {"set": true, "number": 0},
  "submit_time": {"set": true, "number": 1760000010},
  "start_time": {"set": true, "number": 1760000020},
  "end_time": {"set": true, "number": 1760000620}, "time_limit": {"set": true, "number": 10},
  "node_count": {"set": true, "number": 2}, "tres_alloc_str": "cpu=4,gres/gpu=2",
  "tres_req_str": "cpu=4,gres/gpu=2"},
 {"job_id": 6, "user_name": "bob", "job_state": "PENDING", "array_job_id": 6, "array_task_id": null,
  "array_task_string": "1-2%1", "array_max_tasks": 1, "submit_time": 1760000010,
  "start_time": 1760009000, "end_time": 1760009600, "tres_req_str": "cpu=4"}]})");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 4);
    CHECK(trace.jobs[0].user == "ann");
    CHECK(trace.jobs[0].priority == 7);
    CHECK(trace.jobs[0].cpu_milli == 3000);
    CHECK(trace.jobs[0].run_time == 60s);
    CHECK_FALSE(trace.jobs[0].time_limit);
    CHECK(trace.jobs[0].status == TraceStatus::cancelled);
    CHECK(trace.jobs[1].start == 20s);
    CHECK_FALSE(trace.jobs[1].duration());  // its end is only what its limit allows
    CHECK(trace.jobs[1].time_limit == 10min);
    CHECK(trace.jobs[1].gpus.count == 1);
    CHECK(trace.jobs[3].name == "6_2");
    CHECK_FALSE(trace.jobs[3].start);
    CHECK_THAT(read_trace("sacct", "{\"jobs\": [\n{\"time\": {\"submission\": 1}}]}").error,
               Contains("t:2:1: error: JobID: empty: expected the job's number"));
    CHECK_THAT(
        read_trace("sacct", "{\"jobs\": [\n{\"job_id\": 1, \"state\": {\"current\": [\"LOST\"]}}]}")
            .error,
        Contains("State: unknown state 'LOST'"));
    CHECK_THAT(read_trace("sacct", "{\"jobs\": [{\"job_id\": 1").error, Contains("ends within"));
}

TEST_CASE("sacct: a dump with damaged rows is read leniently, where it is", "[workloads][sacct]") {
    const std::string file = BERTH_SOURCE_DIR "/../shared/data/hpc/sacct_dump2101.log";
    if (!std::filesystem::exists(file)) {
        return;
    }
    const auto trace =
        berth::tests::read_all(*berth::workloads::open_trace("sacct", file, {true, {}}));
    CHECK(trace.jobs.size() == 12);
    CHECK(trace.skipped.count == 1);  // the end of a row whose beginning is missing
    REQUIRE_FALSE(trace.jobs.empty());
    CHECK(trace.jobs[0].cpu_milli == 12'000);
    CHECK(trace.jobs[0].memory_bytes == 33'600LL << 20);
}
