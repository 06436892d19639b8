#include <catch2/catch.hpp>
#include <vector>

#include "workloads/trace/guess_format.hpp"

using namespace berth::workloads;

TEST_CASE("guess: a trace's format by how it begins", "[workloads][doctor]") {
    struct Row {
        std::string_view text;
        std::string_view format;  ///< Empty: none.
    };
    const std::vector<Row> rows{
        {"name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,2,3,4\n", "openb"},
        {"\xEF\xBB\xBFname,cpu_milli,memory_mib,num_gpu,gpu_milli\r\np,1,2,3,4\r\n", "openb"},
        {"job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,queue,gpu_time\n", "acme"},
        {"instance_sn,role,app_name,cpu_request,gpu_request,rdma_request\n", "dlrm"},
        {"job_id,user,vc,gpu_num,cpu_num,node_num,state\n", "helios"},
        {"\"job_id\",\"user\",\"vc\",\"gpu_num\"\n", "helios"},
        {"; Version: 2.2\n1 0 5\n", "swf"},
        {"  1 0 5 10 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1\n", "swf"},
        {"1 0 5 10.5 4 -1 -1 4 20 -1 1 3 1 -1 1 -1 -1\n", ""},
        {"1 0 5 10 four -1 -1 4 20 -1 1 3 1 -1 1 -1 -1 -1\n", ""},
        {"JobID|User|State\n7|ann|COMPLETED\n", "sacct"},
        {"Account|AllocCPUS|JobID|\n", "sacct"},
        {"[{\"status\": \"Pass\", \"vc\": \"7\", \"attempts\": []}]", "philly"},
        {"{\"kind\": \"PodList\", \"items\": []}", "kubernetes"},
        {"{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [", "kubernetes"},
        {"{\"kind\": \"Experiment\", \"spec\": {\"x\": {\"kind\": \"List\"}}}", ""},
        {"{\"name\": \"a\", \"submit\": 3}\n{\"name\": \"b\"}\n", "jsonl"},
        {"name,submit,cpu\n", "csv"},
        {"kind: Experiment\nspec: {}\n", ""},
        {"", ""},
        {"\n", ""},
        {"nothing that anybody knows", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(guess_trace_format(row.text).value_or("") == row.format);
    }
}
