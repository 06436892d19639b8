/// read/FORMAT: an invented trace of 1 or 100 MB in memory is read whole. read/openb-gz: from a
/// compressed file.

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 sees overlong copies in boost's gzip_compressor, without cause.
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>

#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

constexpr std::uint32_t small = 1'000'000;
constexpr std::uint32_t large = 100'000'000;

/// A trace of some format: its first lines, its rows by number, its last line.
struct Invented {
    std::string_view head;
    std::string (*row)(int number);
    std::string_view tail;
};

std::string csv_row(int i) {
    return fmt::format(
        "job-{},user-{},{}m,{}Gi,{},{}.5,{}\n", i, i % 97, i % 64000, i % 256, i % 9, i, i % 7200);
}
std::string dlrm_row(int i) {
    return fmt::format(
        "instance_{},HN,app_{},{},12,1,1,25,25,{}.0,120.0,640.0,800.0,8,{}.25,{}.5,{}.75\n",
        i,
        i % 97,
        i % 128,
        i % 512,
        i,
        i + 9,
        i + 7200);
}
std::string helios_row(int i) {
    return fmt::format(
        "{},u{},vc{},{},{},1,COMPLETED,2021-04-{:02} 00:00:00,2021-04-{:02} 00:01:00,2021-04-{:02} "
        "01:01:00,3600,60\n",
        i,
        i % 97,
        i % 7,
        i % 9,
        i % 64,
        i % 28 + 1,
        i % 28 + 1,
        i % 28 + 1);
}
std::string jsonl_row(int i) {
    return fmt::format(
        "{{\"name\": \"job-{}\", \"user\": \"user-{}\", \"cpu\": {}, \"gpus\": {}, \"submit\": "
        "{}.5, \"run_time\": {}}}\n",
        i,
        i % 97,
        i % 64,
        i % 9,
        i,
        i % 7200);
}
std::string kubernetes_row(int i) {
    return fmt::format(
        "{}{{\"kind\": \"Pod\", \"metadata\": {{\"name\": \"pod-{}\", \"namespace\": \"team-{}\", "
        "\"creationTimestamp\": \"2026-01-{:02}T00:00:00Z\", \"labels\": {{\"app\": \"x\", "
        "\"tier\": \"y\"}}}}, \"spec\": {{\"containers\": [{{\"name\": \"main\", \"image\": "
        "\"registry/image:1\", \"resources\": {{\"requests\": {{\"cpu\": \"500m\", \"memory\": "
        "\"16Gi\"}}}}}}]}}, \"status\": {{\"phase\": \"Running\"}}}}\n",
        i > 0 ? "," : "",
        i,
        i % 97,
        i % 28 + 1);
}
std::string kueue_row(int i) {
    return fmt::format(
        "{}{{\"apiVersion\": \"kueue.x-k8s.io/v1beta2\", \"kind\": \"Workload\", \"metadata\": "
        "{{\"name\": \"job-{}\", \"namespace\": \"team-{}\", \"creationTimestamp\": "
        "\"2026-01-{:02}T00:00:00Z\"}}, \"spec\": {{\"queueName\": \"main\", \"priority\": 0, "
        "\"podSets\": [{{\"name\": \"main\", \"count\": {}, \"template\": {{\"spec\": "
        "{{\"containers\": [{{\"name\": \"main\", \"image\": \"registry/image:1\", \"resources\": "
        "{{\"requests\": {{\"cpu\": \"500m\", \"memory\": \"16Gi\"}}}}}}]}}}}}}]}}, \"status\": "
        "{{\"conditions\": [{{\"type\": \"Admitted\", \"status\": \"True\", "
        "\"lastTransitionTime\": \"2026-01-{:02}T00:01:00Z\"}}, {{\"type\": \"Finished\", "
        "\"status\": "
        "\"True\", \"reason\": \"Succeeded\", \"lastTransitionTime\": "
        "\"2026-01-{:02}T01:00:00Z\"}}]}}}}\n",
        i > 0 ? "," : "",
        i,
        i % 97,
        i % 28 + 1,
        i % 8 + 1,
        i % 28 + 1,
        i % 28 + 1);
}
std::string openb_row(int i) {
    return fmt::format("openb-pod-{},{},{},1,{},,LS,Running,{},{},{}\n",
                       i,
                       i % 64000,
                       i % 262144,
                       i % 1000 + 1,
                       i,
                       i + 7200,
                       i + 9);
}
std::string philly_row(int i) {
    return fmt::format(
        "{}{{\"status\": \"Pass\", \"vc\": \"vc{}\", \"jobid\": \"application_{}\", \"attempts\": "
        "[{{\"start_time\": \"2026-01-{:02} 00:00:00\", \"end_time\": \"2026-01-{:02} 01:00:00\", "
        "\"detail\": [{{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}}]}}], \"submitted_time\": "
        "\"2026-01-{:02} 00:00:00\", \"user\": \"u{}\"}}\n",
        i > 0 ? "," : "",
        i % 9,
        i,
        i % 28 + 1,
        i % 28 + 1,
        i % 28 + 1,
        i % 97);
}
std::string sacct_row(int i) {
    return fmt::format(
        "{}|u{}|gpu|2026-01-{:02}T00:00:00|2026-01-{:02}T00:01:00|2026-01-{:02}T00:02:00|60|1-00:"
        "00:00|COMPLETED|billing=9,cpu=24,gres/gpu=8,mem=100G,node=2|2\n",
        i,
        i % 97,
        i % 28 + 1,
        i % 28 + 1,
        i % 28 + 1);
}
std::string swf_row(int i) {
    return fmt::format("{} {} {} {} {} 19.5 512 8 7200 1024 1 {} 1 -1 5 1 -1 -1\n",
                       i,
                       i,
                       i % 900,
                       i % 7200,
                       i % 240 + 1,
                       i % 97);
}

std::string text_of(const Invented& invented, std::size_t bytes) {
    std::string text(invented.head);
    for (int i = 0; text.size() < bytes; ++i) {
        text += invented.row(i);
    }
    text += invented.tail;
    return text;
}

std::uint64_t count_jobs(workloads::TraceReader& reader) {
    std::uint64_t jobs = 0;
    workloads::TraceJob job;
    while (reader.next(job)) {
        ++jobs;
    }
    return jobs;
}

/// A text that a stream reads where it lies.
class TextStream : public std::istream {
public:
    explicit TextStream(std::string& text) : std::istream(nullptr) {
        bytes_.set(text);
        rdbuf(&bytes_);
    }

private:
    struct Bytes : std::streambuf {
        void set(std::string& text) { setg(text.data(), text.data(), text.data() + text.size()); }
    };
    Bytes bytes_;
};

void bench_format(const std::string& format, const Invented& invented, const Bench& bench) {
    const auto reader =
        std::ranges::find(workloads::trace_formats(), format, &workloads::TraceFormat::name);
    for (const std::uint32_t bytes : bench.sizes({small, large})) {
        std::string text = text_of(invented, bytes);
        Measurement out{"read/" + format, bytes, "read all bytes", 0, 0, 0, {}};
        bench.measure(out, 1, [&] {
            out.counters["jobs"] =
                count_jobs(*reader->make(std::make_unique<TextStream>(text), "bench", {}));
        });
        BERTH_ASSERT(out.counters["jobs"] > 0, "an invented trace has jobs");
        bench.report(out);
    }
}

const std::map<std::string, Invented> formats{
    {"csv", {"name,user,cpu,memory,gpus,submit,run_time\n", &csv_row, ""}},
    {"dlrm",
     {"instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,"
      "rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,"
      "creation_time,scheduled_time,deletion_time\n",
      &dlrm_row,
      ""}},
    {"helios",
     {"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
      "queue\n",
      &helios_row,
      ""}},
    {"jsonl", {"", &jsonl_row, ""}},
    {"kubernetes", {"{\"kind\": \"List\", \"items\": [\n", &kubernetes_row, "]}"}},
    {"kueue", {"{\"kind\": \"List\", \"items\": [\n", &kueue_row, "]}"}},
    {"openb",
     {"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
      "deletion_time,scheduled_time\n",
      &openb_row,
      ""}},
    {"philly", {"[", &philly_row, "]"}},
    {"sacct",
     {"JobID|User|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|AllocTRES|NNodes\n",
      &sacct_row,
      ""}},
    {"swf", {"; invented\n", &swf_row, ""}},
};

void bench_openb_gz(const Bench& bench) {
    for (const std::uint32_t bytes : bench.sizes({small, large})) {
        const auto file = std::filesystem::temp_directory_path() / "berth-bench-read.csv.gz";
        {
            std::ofstream to(file, std::ios::binary);
            boost::iostreams::filtering_ostream packed;
            packed.push(boost::iostreams::gzip_compressor());
            packed.push(to);
            packed << text_of(formats.at("openb"), bytes);
        }
        Measurement out{"read/openb-gz", bytes, "read all bytes", 0, 0, 0, {}};
        bench.measure(out, 1, [&] {
            out.counters["jobs"] = count_jobs(*workloads::open_trace("openb", file.string(), {}));
        });
        std::filesystem::remove(file);
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> read_benchmarks() {
    std::vector<Benchmark> out{
        {"read/openb-gz", "the same, openb from a compressed file", &bench_openb_gz}};
    for (const auto& [format, invented] : formats) {
        out.push_back({"read/" + format,
                       "a whole trace of 1 or 100 MB in memory",
                       [&](const Bench& bench) { bench_format(format, invented, bench); }});
    }
    return out;
}

}  // namespace berth::experiments
