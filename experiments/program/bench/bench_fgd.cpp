/// fgd/POLICY: the FGD paper's experiment, from its files to a file: node list, pods and typical
/// pods are read; every pod arrives once, is placed or dropped; after each a row is written with
/// what has arrived, what is allocated, and the seven classes of fragments.

#include <fmt/compile.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/index/scorer.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/bench/openb_like.hpp"
#include "experiments/program/support/documents.hpp"
#include "sim/run/simulation.hpp"
#include "topologies/alibaba_nodes_reader.hpp"
#include "workloads/trace/trace_source.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// Files of the benchmark's own, which go with it.
class TemporaryFiles {
public:
    TemporaryFiles() : stem_(fs::temp_directory_path() / fmt::format("berth-fgd-{}", ::getpid())) {}
    ~TemporaryFiles() {
        for (const std::string& path : paths_) {
            std::error_code ignored;
            fs::remove(path, ignored);
        }
    }
    TemporaryFiles(const TemporaryFiles&) = delete;
    TemporaryFiles& operator=(const TemporaryFiles&) = delete;
    std::string write(const std::string& suffix, const std::string& text) {
        paths_.push_back(stem_.string() + suffix);
        std::ofstream(paths_.back()) << text;
        return paths_.back();
    }

private:
    fs::path stem_;
    std::vector<std::string> paths_;
};

/// Writes the rows of the series.
class SeriesFile final : public sim::RecordSink {
public:
    explicit SeriesFile(const std::string& path) : file_(path) {
        text_ =
            "arrived,allocated,q1_lack_both,q2_lack_gpu,q3_satisfied,q4_lack_cpu,xl_satisfied,"
            "xr_lack_cpu,no_access\n";
    }
    ~SeriesFile() override { file_ << text_; }
    SeriesFile(const SeriesFile&) = delete;
    SeriesFile& operator=(const SeriesFile&) = delete;

    void job(const sim::JobRecord& record) override { placed += record.start ? 1 : 0; }
    void sample(sim::SimTime /*at*/, std::span<const double> values) override {
        // The last columns: arrived, allocated, all fragments, then the classes.
        const auto own = values.last(core::fragment_class_count + 3);
        const auto out = std::back_inserter(text_);
        fmt::format_to(out,
                       FMT_COMPILE("{},{}"),
                       static_cast<std::int64_t>(own[0]),
                       static_cast<std::int64_t>(own[1]));
        for (const double amount : own.subspan(3)) {
            fmt::format_to(out, FMT_COMPILE(",{}"), amount);
        }
        text_ += '\n';
        constexpr std::size_t flush_bytes = std::size_t{1} << 20;
        if (text_.size() >= flush_bytes) {
            file_ << text_;
            text_.clear();
        }
    }

    std::uint64_t placed = 0;

private:
    std::ofstream file_;
    std::string text_;
};

std::function<std::unique_ptr<workloads::TraceReader>()> opener(const std::string& file) {
    return [file] { return workloads::open_trace("openb", file, {}); };
}

std::shared_ptr<const core::TypicalPods> typical_pods(const std::string& file) {
    core::TypicalPodCounter counter;
    const auto reader = opener(file)();
    for (workloads::TraceJob job; reader->next(job);) {
        counter.add(job.cpu_milli, job.gpus, job.members);
    }
    return std::make_shared<const core::TypicalPods>(counter.typical());
}

sim::Settings settings_for(std::string_view policy, const std::string& typical) {
    sim::Settings settings;
    settings.retry = false;
    settings.sample_arrivals = true;
    settings.profile.inside.gpus.emplace().typical = typical_pods(typical);
    settings.profile.inside.gpus->gangs = {{8, 1}, {16, 1}, {32, 1}, {64, 1}};
    const auto scorer = std::ranges::find(core::scorers(), policy, &core::ScorerEntry::name);
    if (scorer != core::scorers().end() && policy != "best-fit") {
        settings.profile.score = {{scorer->make(), 1}};
    } else {
        settings.profile.inside.gpus->policy = policy;
    }
    return settings;
}

/// The whole experiment. Returns how many pods found a place.
std::uint64_t run_once(std::string_view policy, const OpenbFiles& files, const std::string& rows) {
    core::Diagnostics diagnostics;
    auto tree = topologies::read_openb_nodes(
        read_source(files.nodes), {}, core::ResourceSchema(), diagnostics);
    diagnostics.throw_if_failed();
    const auto topology = std::make_shared<const core::Topology>(std::move(*tree));
    const workloads::TracePlan plan{workloads::TraceOrder::file,
                                    workloads::TraceTimes::ignored,
                                    workloads::TraceQuota::none,
                                    true,
                                    0,
                                    {}};
    const workloads::Trace trace =
        workloads::prepare_trace(opener(files.pods), plan, topology->resources());
    const auto source = workloads::make_trace_source(trace, 1, "trace");
    const sim::Settings settings = settings_for(policy, files.typical);
    core::Ledger ledger(topology);
    SeriesFile series(rows);
    sim::RunControl control;
    (void)sim::Simulation(ledger, *source, settings, series, control).run();
    return series.placed;
}

void bench_policy(const std::string& name, const OpenbFiles& given, const Bench& bench) {
    const std::string policy = name.substr(name.find('/') + 1);
    const bool large = policy == "fragmentation-gradient-descent" && given.nodes.empty();
    const std::vector<std::uint32_t> sizes =
        large ? std::vector{1'213U, 100'000U} : std::vector{1'213U};
    for (const std::uint32_t servers : bench.sizes(sizes)) {
        TemporaryFiles temporary;
        OpenbFiles files = given;
        if (given.nodes.empty()) {
            const OpenbLike invented = make_openb_like(servers);
            files.nodes = temporary.write("-nodes.csv", invented.nodes);
            files.pods = temporary.write("-pods.csv", invented.pods);
        }
        files.typical = files.typical.empty() ? files.pods : files.typical;
        const std::string rows = temporary.write("-rows.csv", "");
        Measurement out{name, 0, "the whole run, from its files to a file", 0, 0, 0, {}};
        std::uint64_t placed = 0;
        bench.measure(
            out, servers > 10'000 ? 0.1 : 1.0, [&] { placed = run_once(policy, files, rows); });
        out.counters["pods_placed"] = placed;
        const auto reader = opener(files.pods)();
        for (workloads::TraceJob job; reader->next(job);) {
            ++out.counters["pods"];
        }
        core::Diagnostics diagnostics;
        out.size = topologies::read_openb_nodes(
                       read_source(files.nodes), {}, core::ResourceSchema(), diagnostics)
                       ->server_count();
        const auto pods = static_cast<double>(out.counters["pods"]);
        out.counters["decisions_per_s"] = static_cast<std::uint64_t>(pods / out.median_s);
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> fgd_benchmarks(const OpenbFiles& files) {
    std::map<std::string, std::string> policies;  // by name
    for (const core::ScorerEntry& entry : core::scorers()) {
        policies.emplace(entry.name, entry.summary);
    }
    for (const core::TreePolicyEntry& entry : core::tree_policies()) {
        policies.emplace(entry.name, entry.summary);
    }
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        policies[std::string(entry.name)] = entry.summary;
    }
    std::vector<Benchmark> out;
    for (const auto& [policy, summary] : policies) {
        const std::string name = "fgd/" + policy;
        out.push_back({name, "the FGD paper's experiment: " + summary, [=](const Bench& bench) {
                           bench_policy(name, files, bench);
                       }});
    }
    return out;
}

}  // namespace berth::experiments
