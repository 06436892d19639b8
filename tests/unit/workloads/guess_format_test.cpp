#include <catch2/catch.hpp>
#include <string>
#include <variant>
#include <vector>

#include "workloads/trace/guess_format.hpp"

using namespace berth::workloads;
using namespace std::string_literals;
using Catch::Matchers::Contains;

namespace {

std::string format_of(std::string_view text) {
    const FileGuess guess = guess_trace(text);
    const auto* trace = std::get_if<TraceGuess>(&guess);
    return trace != nullptr ? std::string(trace->format) : "";
}

/// `WHAT: expected EXPECTED`; empty for a file that may be a trace or a document.
std::string refusal_of(std::string_view text) {
    const FileGuess guess = guess_trace(text);
    const auto* none = std::get_if<NoTrace>(&guess);
    return none != nullptr ? none->what + ": expected " + none->expected : "";
}

}  // namespace

TEST_CASE("guess: a trace's format by how it begins", "[workloads][doctor]") {
    struct Row {
        std::string_view text;
        std::string_view format;  ///< Empty: none.
    };
    const std::vector<Row> rows{
        {"name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,2,3,4\n", "openb"},
        {"\xEF\xBB\xBFname,cpu_milli,memory_mib,num_gpu,gpu_milli\r\np,1,2,3,4\r\n", "openb"},
        {"name;cpu_milli;memory_mib;num_gpu;gpu_milli\np;1;2;3;4\n", "openb"},
        {"job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,queue,gpu_time\n", "acme"},
        {"instance_sn,role,app_name,cpu_request,gpu_request,rdma_request\n", "dlrm"},
        {"job_id,user,vc,gpu_num,cpu_num,node_num,state\n", "helios"},
        {"JobId=1 JobName=a TRES=cpu=1,mem=1G\n", "scontrol"},
        {"\"job_id\",\"user\",\"vc\",\"gpu_num\"\n", "helios"},
        {"; Version: 2.2\n1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1\n", "swf"},
        {"; Version: 2.2\n; MaxProcs: 4\n", "swf"},
        {"  1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1\n", "swf"},
        {"1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1 7 8\n", "swf"},
        {"1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1 {gpus: 2}\n", "swf"},
        {"{1, 0, 5, 10, 4, -1, -1, 4, 20, -1, 1, 3, 1, -1, 1, -1, -1, -1}\n", "swf"},
        {"# ids\n1 0 5 10 4 -1 -1 4 20 -1 1 U3 G1 A2 Q1 P1 S1 S1 UNITARY\n", "swf"},
        {"1 0 5 10.5 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1\n", ""},
        {"1 0 5 10 four -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1\n", ""},
        {"JobID|User|State\n7|ann|COMPLETED\n", "sacct"},
        {"Account|AllocCPUS|JobID|\n", "sacct"},
        {"JobIDRaw|Submit|State\n", "sacct"},
        {"JobID,Submit,State,AllocTRES\n", "sacct"},
        {"JobID,Submit,GPUs\n1,0,2\n", "csv"},
        {"JobID , SubmitTime , RunTime\n1 , 0 , 2\n", "csv"},
        {"NAME ; AGE ; SUBMIT ; RUNTIME\na ; 1 ; 0 ; 2\n", "csv"},
        {"{\"jobs\": [{\"job_id\": 1, \"time\": {\"elapsed\": 1, \"submission\": 2}}]}", "sacct"},
        {"{\"job_id\":1,\"time\":{\"elapsed\":1,\"submission\":2}}\n", "sacct"},
        {"{\n \"jobs\": [\n  {\"job_state\": \"RUNNING\", \"submit_time\": 5", "sacct"},
        {"[{\"status\": \"Pass\", \"vc\": \"7\", \"attempts\": []}]", "philly"},
        {"{\"kind\": \"PodList\", \"items\": []}", "kubernetes"},
        {"{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [", "kubernetes"},
        {"{\"kind\": \"List\", \"items\": [{\"apiVersion\": \"kueue.x-k8s.io/v1beta2\", \"kind\": "
         "\"Workload\"",
         "kueue"},
        {"{\"kind\": \"List\", \"items\": [{\"apiVersion\": \"kueue.x-k8s.io/v1beta2\", \"kind\": "
         "\"ClusterQueue\"",
         "kueue"},
        {"{\"kind\":\"Job\",\"metadata\":{\"labels\":{\"kueue.x-k8s.io/queue-name\":\"a\"",
         "kueue"},
        {"apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\nmetadata: {name: a}\n", "kueue"},
        {"apiVersion: v1\nitems:\n- kind: Pod\n  labels:\n    kueue.x-k8s.io/queue-name: a\n",
         "kueue"},
        {"apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\n", ""},
        {"apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkloadPriorityClass\n", ""},
        {"apiVersion: berth/v1\nkind: Workload\nspec: {x: kueue.x-k8s.io/v1beta1}\n", ""},
        {"{\"kind\": \"Experiment\", \"spec\": {\"x\": {\"kind\": \"List\"}}}", ""},
        {"{\"name\": \"a\", \"submit\": 3}\n{\"name\": \"b\"}\n", "jsonl"},
        {"{\"spec\": {\"sources\": []}}\n", ""},
        {"{kind: Workload, spec: {sources: []}}\n", ""},
        {"name,submit,cpu\n", "csv"},
        {"name;submit;cpu\n", "csv"},
        {"name\tsubmit\tcpu\n", "csv"},
        {"name|submit|cpu\n", "csv"},
        {";name;submit;cpu\n0;a;0;1\n", "csv"},
        {"timestamp,duration,num_gpus\n0,60,1\n", "csv"},
        {"time,name,duration\n0,a,60\n", "csv"},
        {"SubmitTime,JobName,NumGPUs\n0,a,1\n", "csv"},
        {"Submit (s),Duration (s),GPUs\n0,60,1\n", "csv"},
        {"kind: Experiment\nspec: {}\n", ""},
        {"# a comment\napiVersion: berth/v1\nkind: Experiment\n", ""},
        {"", ""},
        {"\n", ""},
        {"nothing that anybody knows", ""},
        {",\n", ""},
        {"a: &a [x, x]\nb: &b [*a, *a]\n", ""},
        {"[1, 2]\n", ""},
        {"A text of two lines, with commas.\nNobody, however, takes it for a table.\n", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(format_of(row.text) == row.format);
        CHECK((row.format.empty() || refusal_of(row.text).empty()));
    }
}

TEST_CASE("guess: what no reader takes is named, with what to give instead",
          "[workloads][doctor]") {
    struct Row {
        std::string text;
        std::string refusal;  ///< A part of the refusal.
    };
    const std::vector<Row> rows{
        {"PAR1\x15\x04", "a Parquet file: expected a table in text"},
        {"PK\x03\x04 [Content_Types].xml", "a workbook, as .xlsx and .ods are: expected its sheet"},
        {"PK\x03\x04 jobs.csv", "a zip archive: expected a file from it"},
        {"SQLite format 3\0"s, "a database of SQLite: expected one of its tables, as sqlite3 "},
        {"\x1F\x8B\x08", "compressed by gzip, which its name does not say: expected a name that "},
        {"\xFD"
         "7zXZ",
         "compressed by xz: expected what xz -dc FILE prints"},
        {std::string(257, 'x') + "ustar", "a tar archive"},
        {"\xFF\xFEn\0a\0"s, "UTF-16 text: expected UTF-8, as iconv "},
        {"version https://git-lfs.github.com/spec/v1\noid\n", "a pointer of Git LFS"},
        {"<!DOCTYPE html>\n", "a web page"},
        {"abc\0def"s, "no text: expected a document or a table, in UTF-8"},
        {"1 0 5 10 4 -1\n", "a table of numbers, 6 a line: expected a table with a header, or"},
        {"j1,worker,1,100,200\nj2,worker,1,100,200\n",
         "a table without a header: its first line has '1'"},
        {"sep=;\nname;submit\n", "a table with 'sep=' before its header"},
        {"# by a program\nname,submit,cpu\na,0,1\n", "grep -v '^#' FILE | berth workload - --from"},
        {"sn,cpu_milli,memory_mib,gpu,model\n", "a list of nodes"},
        {"replication,pod,submit_s\n0,a,0\n", "a table of a run's results"},
        {"JobID    JobName  State\n-------- -------- -----\n", "what sacct prints for people"},
        {"   JOBID PARTITION  NAME\n", "what squeue prints"},
        {"JOBID|STATE|TIME_LIMIT|SUBMIT_TIME\n1|RUNNING|5:00|N/A\n", "a table that squeue prints"},
        {"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n",
         "a list of nodes that sinfo prints"},
        {"NodeName=n1 Arch=x86_64 CfgTRES=cpu=8,mem=1G\n", "a list of nodes that scontrol prints"},
        {"PartitionName=batch\n   AllowGroups=ALL\n", "a list of partitions that scontrol prints"},
        {"{\"nodes\": [{\"real_memory\": 1, \"threads\": 2}]}", "a list of nodes that sinfo or"},
        {"{\"partitions\": [{\"maximums\": {}}]}", "a list of partitions that sinfo or scontrol"},
        {"NAME   READY   STATUS   AGE\n", "what kubectl prints for people"},
        {"[{\"name\": \"a\"}]", "a list of JSON: expected an object a line, as jq -c '.[]' FILE"},
        {"{\"nb_res\": 4, \"jobs\": []}", "expected an object a line, as jq -c '.jobs[]' FILE"},
        {"{\"id\": \"0\", \"subtime\": 1}\n", "--columns submit=subtime,run_time=COLUMN"},
        {"job;wall_time;run_time_max;cpu_seconds_time\n1;2;3;4\n",
         "expected --columns submit=COLUMN,run_time=COLUMN"},
        {"timestamp,gpu_util,power\n0,50,300\n", "a table whose columns do not say what jobs"},
        {"name,time,application\na,0,b\n",
         "a table whose columns do not say when jobs come ('name', 'time', 'application'): "
         "expected --columns submit=time,run_time=COLUMN"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK_THAT(refusal_of(row.text), Contains(row.refusal));
    }
}

TEST_CASE("guess: of what may be a document nothing is said", "[workloads][doctor]") {
    for (const std::string_view text : {"kind: Experiment\nspec: {}\n",
                                        "{kind: Workload, spec: {sources: []}}\n",
                                        "{\"spec\": {\"sources\": []}}\n",
                                        ",\n",
                                        "a: &a [x, x]\nb: &b [*a, *a]\n",
                                        "[1, 2]\n",
                                        "A text of two lines, with commas.\nNobody, however, takes "
                                        "it, surely, for a table.\n",
                                        ""}) {
        CAPTURE(text);
        CHECK(std::holds_alternative<std::monostate>(guess_trace(text)));
    }
}

TEST_CASE("guess: why it is a format is said", "[workloads][doctor]") {
    const auto why = [](std::string_view text) {
        return std::get<TraceGuess>(guess_trace(text)).why;
    };
    CHECK(why("job_id,user,vc,gpu_num\n") == "its header has vc and gpu_num");
    CHECK(why("timestamp,duration,num_gpus\n0,1,2\n") ==
          "its header tells gpus, submit and run_time");
    CHECK(why("1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1 7\n") ==
          "its lines have 19 fields, the first 18 of them as swf has them");
}
