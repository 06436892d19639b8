#include "fuzz/trace_samples.hpp"

#include <sstream>
#include <stdexcept>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::tests {
namespace {

/// What every job that a reader gives out has to be, however wrong its trace was.
void check(const workloads::TraceJob& job) {
    BERTH_ASSERT(job.members >= 1 && job.members <= workloads::members_max, "members are counted");
    BERTH_ASSERT(job.cpu_milli >= 0 && job.memory_bytes >= 0, "no amount is negative");
    BERTH_ASSERT(job.gpus.count >= 0 && (job.gpus.count == 0) == (job.gpus.milli == 0),
                 "a GPU request has both or none");
    BERTH_ASSERT(job.gpus.count <= 1 || job.gpus.milli == core::gpu_whole_milli,
                 "several GPUs are whole");
    BERTH_ASSERT(!job.start || !job.finish || *job.start <= *job.finish,
                 "a job starts before it ends");
    BERTH_ASSERT(!job.duration() || job.duration()->count() >= 0, "a job's length is none below 0");
}

std::size_t read(const workloads::TraceFormat& format, const std::string& bytes, bool lenient) {
    std::size_t jobs = 0;
    try {
        const auto reader =
            format.make(std::make_unique<std::istringstream>(bytes), "fuzz", {lenient, {}});
        workloads::TraceJob job;
        while (reader->next(job)) {
            check(job);
            ++jobs;
        }
    } catch (const core::InputError& error) {
        BERTH_ASSERT(std::string_view(error.what()).starts_with("fuzz:"), "an error has its place");
    }
    return jobs;
}

}  // namespace

const std::vector<TraceSample>& trace_samples() {
    static const std::vector<TraceSample> samples{
        {"acme",
         "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,type,state,submit_time,start_time,"
         "end_time,duration,queue,gpu_time\n"
         "j1,u1,2,16,64,1000,SFT,COMPLETED,2023-03-01 08:00:00+08:00,2023-03-01 08:00:30+08:00,"
         "2023-03-01 09:00:30+08:00,3630,30,57600.0\n"
         "j2,u2,1,0,8,,Debug,NODE_FAIL,2023-03-01 00:00:10+00:00,,,18,,\n"},
        {"csv",
         "name,members,cpu,memory,gpus,gpu_models,submit,start,finish,time_limit,status\n"
         "a,2,500m,16Gi,0.5,M1|M2,1.5,2,3,1h30m,completed\n"
         "\"b \"\"x\"\",\ny\",1,4,1e9,8,,2,,,00:10:00,FAILED\n"},
        {"dlrm",
         "instance_sn,role,app_name,cpu_request,gpu_request,rdma_request,memory_request,"
         "max_instance_per_node,creation_time,scheduled_time,deletion_time\n"
         "i-0,HN,app-a,12.5,1,25,120.0,8,,,\n"
         "i-1,CN,app-a,64,0,1,0.5,-1,10.25,11,20\n"},
        {"helios",
         "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration\n"
         "7,u1,vcA,16,48,2,COMPLETED,2021-04-01 00:00:10,2021-04-01 00:01:00,"
         "2021-04-01 01:01:00,3600\n"
         "8,u2,vcB,0,4,1,NODE_FAIL,2021-04-01 00:00:00,None,,\n"},
        {"jsonl",
         "{\"name\": \"a\\u00e9\", \"gpus\": 0.5, \"gpu_models\": [\"M1\"], \"submit\": 1e1}\n"
         "{\"cpu\": \"2\", \"status\": \"Failed\", \"start\": 1, \"finish\": 2}\n"},
        {"kubernetes",
         "{\"kind\": \"List\", \"items\": [{\"metadata\": {\"name\": \"a\", \"annotations\": "
         "{\"alibabacloud.com/gpu-milli\": \"300\"}, \"creationTimestamp\": "
         "\"2026-01-01T00:00:00Z\"}, \"spec\": {\"priority\": 1, \"containers\": [{\"resources\": "
         "{\"requests\": {\"cpu\": \"500m\", \"memory\": \"1Gi\"}}}]}, \"status\": {\"phase\": "
         "\"Running\"}},\n{\"metadata\": {\"name\": \"b\"}}], \"metadata\": {}}\n"},
        {"openb",
         "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
         "deletion_time,scheduled_time\n"
         "pod-a,12000,16384,1,460,M1|M2,LS,Succeeded,10,20.5,12\n"
         "pod-b,500,128,0,0,,BE,Pending,11,30,\n"},
        {"philly",
         "[{\"status\": \"Pass\", \"vc\": \"v1\", \"jobid\": \"j1\", \"user\": \"u1\", "
         "\"submitted_time\": \"2026-01-01 00:00:00\", \"attempts\": [{\"start_time\": "
         "\"2026-01-01 00:01:00\", \"end_time\": \"2026-01-01 00:02:00\", \"detail\": [{\"ip\": "
         "\"m1\", \"gpus\": [\"gpu0\"]}]}]},\n{\"jobid\": \"j2\", \"attempts\": []}]\n"},
        {"sacct",
         "JobID|User|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|AllocTRES|NNodes|"
         "ReqMem\n"
         "71_3|u1|gpu|2026-01-01T00:00:10|2026-01-01T00:01:00|2026-01-01T00:02:00|60|1-00:00:00|"
         "CANCELLED by 10|cpu=24,gres/gpu:m9=8,mem=100G,node=2|2|2800Mc\n"
         "72|u2||2026-01-01T00:00:00|Unknown|Unknown|0|UNLIMITED|PENDING||1|4Gn\n"},
        {"swf",
         "; Version: 2.2\n"
         "1 0 100.5 20 4 19.5 512 8 60 1024 1 3 1 -1 5 1 -1 -1\n"
         "2 10 -1 -1 -1 -1 512 2 -1 -1 5 -1 1 -1 -1 2 -1 -1\n"},
    };
    return samples;
}

std::size_t read_arbitrary(std::string_view format, const std::string& bytes) {
    for (const workloads::TraceFormat& entry : workloads::trace_formats()) {
        if (entry.name == format) {
            (void)read(entry, bytes, false);
            return read(entry, bytes, true);
        }
    }
    throw std::logic_error("no such format");
}

}  // namespace berth::tests
