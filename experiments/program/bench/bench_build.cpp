/// build: builds a whole topology of five levels below the cluster from its description.

#include "experiments/program/bench/benchmark.hpp"

namespace berth::experiments {
namespace {

void bench_build(const Bench& bench) {
    for (const std::uint32_t servers : bench.sizes({512, 8'192, 131'072, 1'048'576})) {
        const std::uint32_t racks = servers / 512;
        Measurement out{"build", servers, "generate the tree", 0, 0, 0, {}};
        bench.measure(out, 1.0, [&] {
            const auto tree = uniform_tree(
                {{"region", 2}, {"zone", 2}, {"room", 8}, {"rack", racks}, {"server", 16}},
                {{"cpu", 16'000}, {"memory", core::Amount{256} << 30}});
            out.counters["nodes"] = tree->node_count();
        });
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> build_benchmarks() {
    return {{"build", "generate a whole topology of five levels", &bench_build}};
}

}  // namespace berth::experiments
