#include "experiments/program/bench/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "core/support/assert.hpp"
#include "core/support/value.hpp"
#include "experiments/program/bench/scheduler_bench.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/read_topology.hpp"

namespace berth::experiments {

std::shared_ptr<const core::Topology> uniform_tree(
    const std::vector<std::pair<std::string, std::uint32_t>>& levels,
    const std::vector<std::pair<std::string, core::Amount>>& capacity) {
    auto source = std::make_shared<core::SourceText>();
    source->text = "levels:\n";
    for (const auto& [name, count] : levels) {
        source->text += fmt::format("- {{name: {}, count: {}}}\n", name, count);
    }
    source->text += "machines: [{type: any}]\nmachineTypes:\n  any:\n    capacity:\n";
    core::ResourceSchema schema;
    for (const auto& [name, amount] : capacity) {
        source->text +=
            fmt::format("      {}: {}\n", name, schema.format(schema.add(name), amount));
    }
    core::Diagnostics diagnostics;
    auto tree = topologies::read_spec(parse_documents(source).front(), {}, diagnostics);
    diagnostics.throw_if_failed();
    return std::make_shared<const core::Topology>(std::move(*tree));
}

std::vector<Benchmark> allocate_benchmarks();
std::vector<Benchmark> build_benchmarks();
std::vector<Benchmark> candidates_benchmarks();
std::vector<Benchmark> cycle_benchmarks();
std::vector<Benchmark> document_benchmarks();
std::vector<Benchmark> events_benchmarks();
std::vector<Benchmark> fgd_benchmarks(const OpenbFiles& files);
std::vector<Benchmark> memory_benchmarks();
std::vector<Benchmark> place_benchmarks();
std::vector<Benchmark> quota_benchmarks();
std::vector<Benchmark> read_benchmarks();

std::vector<Benchmark> benchmarks(const OpenbFiles& files) {
    std::vector<Benchmark> table;
    for (std::vector<Benchmark> family : {allocate_benchmarks(),
                                          build_benchmarks(),
                                          candidates_benchmarks(),
                                          cycle_benchmarks(),
                                          document_benchmarks(),
                                          events_benchmarks(),
                                          fgd_benchmarks(files),
                                          memory_benchmarks(),
                                          place_benchmarks(),
                                          quota_benchmarks(),
                                          read_benchmarks()}) {
        std::ranges::move(family, std::back_inserter(table));
    }
    for (const SchedulerBench& one : scheduler_benches()) {
        std::ranges::move(one.benchmarks(), std::back_inserter(table));
    }
    std::ranges::sort(table, {}, &Benchmark::name);
    return table;
}

std::string_view size_of(std::string_view benchmark) {
    using Of = BenchSize;
    static constexpr std::array<Of, 13> table{Of{"allocate/loop", "nodes"},
                                              Of{"allocate", "GPUs of the node"},
                                              Of{"build", "servers"},
                                              Of{"candidates/wide", "groups"},
                                              Of{"candidates", "hosts"},
                                              Of{"cycle", "servers"},
                                              Of{"documents", "servers"},
                                              Of{"events", "pending events"},
                                              Of{"fgd", "servers"},
                                              Of{"memory", "bytes"},
                                              Of{"place", "servers"},
                                              Of{"quota", "quotas"},
                                              Of{"read", "bytes"}};
    const auto is_of = [&](const Of& of) { return benchmark.starts_with(of.first); };
    for (const SchedulerBench& one : scheduler_benches()) {
        const auto found = std::ranges::find_if(one.sizes, is_of);
        if (found != one.sizes.end()) {
            return found->second;
        }
    }
    const auto found = std::ranges::find_if(table, is_of);
    BERTH_ASSERT(found != table.end(), "each family of benchmarks says what its size counts");
    return found->second;
}

Bench::Bench(std::optional<std::uint64_t> size, std::optional<std::uint64_t> units, Done done)
    : size_(size), units_(units), done_(std::move(done)) {}

std::vector<std::uint32_t> Bench::sizes(const std::vector<std::uint32_t>& all) const {
    std::vector<std::uint32_t> out;
    std::ranges::copy_if(
        all, std::back_inserter(out), [&](std::uint32_t size) { return !size_ || *size_ == size; });
    return out;
}

[[gnu::noinline]] void do_units(std::uint64_t count, const std::function<void()>& unit) {
    for (std::uint64_t i = 0; i < count; ++i) {
        unit();
    }
}

void Bench::measure(Measurement& measurement,
                    double seconds,
                    const std::function<void()>& unit) const {
    using Clock = std::chrono::steady_clock;
    const auto batch_seconds = [&](std::uint64_t length) {
        const auto begin = Clock::now();
        do_units(length, unit);
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    if (units_) {
        measurement.count = *units_;
        measurement.best_s = batch_seconds(*units_) / static_cast<double>(*units_);
        measurement.median_s = measurement.best_s;
        return;
    }
    // The warm-up finds a batch that takes at least a millisecond.
    std::uint64_t length = 1;
    double spent = batch_seconds(length);
    double warm_up = spent;
    while (spent < 1e-3 || (warm_up < 0.1 && warm_up + spent < seconds)) {
        length = spent < 1e-3 ? length * 2 : length;
        spent = batch_seconds(length);
        warm_up += spent;
    }
    std::vector<double> batches;
    for (double total = 0; total < seconds; total += batches.back()) {
        batches.push_back(batch_seconds(length));
    }
    std::ranges::sort(batches);
    measurement.count = length * batches.size();
    measurement.best_s = batches.front() / static_cast<double>(length);
    measurement.median_s = batches[batches.size() / 2] / static_cast<double>(length);
}

}  // namespace berth::experiments
