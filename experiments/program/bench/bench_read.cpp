/// read/FORMAT: reads a whole invented trace of 1 or 100 MB from memory. read/openb-gz: reads it
/// from a compressed file.

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 wrongly warns about overlong copies in boost's gzip_compressor.
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <vector>

#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/bench/scheduler_bench.hpp"
#include "experiments/program/support/temporary.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

constexpr std::uint32_t small = 1'000'000;
constexpr std::uint32_t large = 100'000'000;

std::string text_of(const InventedTrace& invented, std::size_t bytes) {
    std::string text(invented.head);
    for (int i = 0; text.size() < bytes; ++i) {
        fmt::dynamic_format_arg_store<fmt::format_context> fields;
        for (const auto& [of, plus] : invented.fields) {
            fields.push_back((of > 0 ? i % of : i) + plus);
        }
        text += i > 0 ? invented.between : "";
        text += fmt::vformat(invented.row, fields);
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

/// A stream that reads a text in place.
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

void bench_format(const std::string& format, const InventedTrace& invented, const Bench& bench) {
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

constexpr std::string_view kubernetes_row =
    R"({{"kind": "Pod", "metadata": {{"name": "pod-{0}", "namespace": "team-{1}", )"
    R"("creationTimestamp": "2026-01-{2:02}T00:00:00Z", "labels": {{"app": "x", "tier": "y"}}}}, )"
    R"("spec": {{"containers": [{{"name": "main", "image": "registry/image:1", "resources": )"
    R"({{"requests": {{"cpu": "500m", "memory": "16Gi"}}}}}}]}}, )"
    R"("status": {{"phase": "Running"}}}})"
    "\n";
constexpr std::string_view philly_row =
    R"({{"status": "Pass", "vc": "vc{0}", "jobid": "application_{1}", "attempts": )"
    R"([{{"start_time": "2026-01-{2:02} 00:00:00", "end_time": "2026-01-{2:02} 01:00:00", )"
    R"("detail": [{{"ip": "m1", "gpus": ["gpu0", "gpu1"]}}]}}], )"
    R"("submitted_time": "2026-01-{2:02} 00:00:00", "user": "u{3}"}})"
    "\n";

const std::map<std::string, InventedTrace> of_house{
    {"csv",
     {"name,user,cpu,memory,gpus,submit,run_time\n",
      "job-{0},user-{1},{2}m,{3}Gi,{4},{0}.5,{5}\n",
      {{}, {97}, {64000}, {256}, {9}, {7200}}}},
    {"dlrm",
     {"instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,"
      "rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,"
      "creation_time,scheduled_time,deletion_time\n",
      "instance_{0},HN,app_{1},{2},12,1,1,25,25,{3}.0,120.0,640.0,800.0,8,{0}.25,{4}.5,{5}.75\n",
      {{}, {97}, {128}, {512}, {0, 9}, {0, 7200}}}},
    {"helios",
     {"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
      "queue\n",
      "{0},u{1},vc{2},{3},{4},1,COMPLETED,2021-04-{5:02} 00:00:00,2021-04-{5:02} 00:01:00,"
      "2021-04-{5:02} 01:01:00,3600,60\n",
      {{}, {97}, {7}, {9}, {64}, {28, 1}}}},
    {"jsonl",
     {"",
      R"({{"name": "job-{0}", "user": "user-{1}", "cpu": {2}, "gpus": {3}, "submit": {0}.5, )"
      R"("run_time": {4}}})"
      "\n",
      {{}, {97}, {64}, {9}, {7200}}}},
    {"kubernetes",
     {"{\"kind\": \"List\", \"items\": [\n", kubernetes_row, {{}, {97}, {28, 1}}, ",", "]}"}},
    {"openb",
     {"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
      "deletion_time,scheduled_time\n",
      "openb-pod-{0},{1},{2},1,{3},,LS,Running,{0},{4},{5}\n",
      {{}, {64000}, {262144}, {1000, 1}, {0, 7200}, {0, 9}}}},
    {"philly", {"[", philly_row, {{9}, {}, {28, 1}, {97}}, ",", "]"}},
    {"sacct",
     {"JobID|User|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|AllocTRES|NNodes\n",
      "{0}|u{1}|gpu|2026-01-{2:02}T00:00:00|2026-01-{2:02}T00:01:00|2026-01-{2:02}T00:02:00|60|"
      "1-00:00:00|COMPLETED|billing=9,cpu=24,gres/gpu=8,mem=100G,node=2|2\n",
      {{}, {97}, {28, 1}}}},
    {"swf",
     {"; invented\n",
      "{0} {0} {1} {2} {3} 19.5 512 8 7200 1024 1 {4} 1 -1 5 1 -1 -1\n",
      {{}, {900}, {7200}, {240, 1}, {97}}}},
};

void bench_openb_gz(const Bench& bench) {
    for (const std::uint32_t bytes : bench.sizes({small, large})) {
        const auto file = temporary_folder() / "berth-bench-read.csv.gz";
        {
            std::ofstream to(file, std::ios::binary);
            boost::iostreams::filtering_ostream packed;
            packed.push(boost::iostreams::gzip_compressor());
            packed.push(to);
            packed << text_of(of_house.at("openb"), bytes);
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
    std::map<std::string, InventedTrace> formats = of_house;
    for (const SchedulerBench& one : scheduler_benches()) {
        formats.merge(one.traces());
    }
    for (const auto& [format, invented] : formats) {
        out.push_back({"read/" + format,
                       "a whole trace of 1 or 100 MB in memory",
                       [format = format, invented = invented](const Bench& bench) {
                           bench_format(format, invented, bench);
                       }});
    }
    return out;
}

}  // namespace berth::experiments
