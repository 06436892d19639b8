#include <fmt/compile.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/index/scorer.hpp"
#include "core/support/text.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/temporary.hpp"
#include "sim/clock/random.hpp"
#include "sim/run/simulation.hpp"
#include "topologies/alibaba_nodes_reader.hpp"
#include "workloads/trace/trace_source.hpp"

/// fgd/POLICY: the FGD paper's experiment, from input files to an output file. The node list, pods
/// and typical pods are read; every pod arrives once, and is placed or dropped. After each, a row
/// is written with what has arrived, what is allocated, and the seven classes of fragments.
namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// An invented trace in openb's columns: its cluster and its pods, of a similar shape.
struct OpenbLike {
    std::string nodes;
    std::string pods;
    std::uint64_t pod_count = 0;
};

struct Machine {
    std::uint32_t of_1213 = 0;
    int gpus = 0;
    int cpus = 0;
    int memory_gib = 0;
    const char* model = "";
};
constexpr std::array machines{Machine{234, 1, 24, 96, "M1"},
                              Machine{209, 2, 48, 192, "M2"},
                              Machine{150, 4, 64, 256, "M4"},
                              Machine{400, 8, 96, 384, "M8"},
                              Machine{220, 8, 128, 768, "M8L"}};

struct PodKind {
    std::uint64_t cpu_milli = 0;
    std::uint64_t memory_mib = 0;
    std::uint64_t gpus = 0;
    std::uint64_t gpu_milli = 0;
};

/// A number in [least, most].
std::uint64_t draw(sim::RandomBits& bits, std::uint64_t least, std::uint64_t most) {
    return least + bits() % (most - least + 1);
}

PodKind draw_kind(sim::RandomBits& bits) {
    PodKind kind;
    const std::uint64_t dice = draw(bits, 1, 1000);
    if (dice <= 130) {
        kind = {draw(bits, 2, 32) * 1000, 0, 0, 0};
    } else if (dice <= 530) {
        kind = {draw(bits, 1, 16) * 1000, 0, 1, draw(bits, 15, 95) * 10};
    } else if (dice <= 960) {
        kind = {draw(bits, 4, 20) * 1000, 0, 1, 1000};
    } else if (dice <= 982) {
        kind = {draw(bits, 8, 32) * 1000, 0, 2, 1000};
    } else if (dice <= 994) {
        kind = {draw(bits, 16, 48) * 1000, 0, 4, 1000};
    } else {
        kind = {draw(bits, 64, 96) * 1000, 0, 8, 1000};
    }
    kind.memory_mib = kind.cpu_milli / 1000 * draw(bits, 1, 4) * 1024;
    return kind;
}

/// Makes 6 212 GPUs for every 1 213 servers, in machines of one, two, four and eight, and pods of a
/// hundred and fifty kinds, some much more frequent than others, until they request 1.3 times the
/// GPUs. The numbers are made up.
OpenbLike make_openb_like(std::uint32_t servers) {
    constexpr std::uint32_t period = 1213;
    OpenbLike out;
    out.nodes = "sn,cpu_milli,memory_mib,gpu,model\n";
    std::uint64_t gpus = 0;
    for (std::uint32_t server = 0; server < servers; ++server) {
        // Machines of the same kind are not next to each other.
        std::uint32_t slot = server * 500 % period;
        std::size_t kind = 0;
        for (; slot >= machines[kind].of_1213; ++kind) {
            slot -= machines[kind].of_1213;
        }
        const Machine& machine = machines[kind];
        gpus += static_cast<std::uint64_t>(machine.gpus);
        core::append(out.nodes,
                     "node-{:06},{},{},{},{}\n",
                     server,
                     machine.cpus * 1000,
                     machine.memory_gib * 1024,
                     machine.gpus,
                     machine.model);
    }
    sim::RandomBits bits = sim::random_bits(1, "openb-like");
    constexpr std::size_t kinds = 150;
    std::vector<PodKind> kind_of;
    std::vector<std::uint64_t> weight_below{0};  // weights of the kinds before each kind
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        kind_of.push_back(draw_kind(bits));
        weight_below.push_back(weight_below.back() + 100'000 / (kind + 4));
    }
    out.pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";
    for (std::uint64_t asked = 0; asked < gpus * 1300; ++out.pod_count) {
        const std::uint64_t at = bits() % weight_below.back();
        std::size_t number = 0;
        while (weight_below[number + 1] <= at) {
            ++number;
        }
        const PodKind& kind = kind_of[number];
        asked += kind.gpus * kind.gpu_milli;
        core::append(out.pods,
                     "pod-{:07},{},{},{},{},\n",
                     out.pod_count,
                     kind.cpu_milli,
                     kind.memory_mib,
                     kind.gpus,
                     kind.gpu_milli);
    }
    return out;
}

/// The benchmark's own files, which are removed with this object.
class TemporaryFiles {
public:
    TemporaryFiles() : stem_(temporary_folder() / fmt::format("berth-fgd-{}", ::getpid())) {}
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

/// Runs the whole experiment. Returns how many pods were placed.
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
    std::map<std::string, std::string> policies;  // summaries by name
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
