/// memory: what waiting for memory costs on this machine. Each cache line holds the index of the
/// next one, in a single random circle through all of them, so that no read can begin before the
/// previous one has ended.

#include <boost/random/uniform_int_distribution.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/program/bench/benchmark.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

/// As large as a cache line.
struct alignas(64) Line {
    std::uint32_t next = 0;
};

/// Sattolo's shuffle, which makes a single circle.
std::vector<Line> circle(std::uint32_t count) {
    std::vector<Line> lines(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        lines[i].next = i;
    }
    sim::RandomBits bits = sim::random_bits(1, "memory");
    for (std::uint32_t i = count - 1; i > 0; --i) {
        const std::uint32_t other =
            boost::random::uniform_int_distribution<std::uint32_t>(0, i - 1)(bits);
        std::swap(lines[i].next, lines[other].next);
    }
    return lines;
}

void bench_memory(const Bench& bench) {
    constexpr std::uint32_t mib = 1 << 20;
    for (const std::uint32_t bytes : bench.sizes({mib / 64, mib / 2, 8 * mib, 256 * mib})) {
        const std::vector<Line> lines = circle(bytes / sizeof(Line));
        std::uint32_t at = 0;
        constexpr int reads = 1'000;
        Measurement out{"memory", bytes, "read a thousand lines, one after the other", 0, 0, 0, {}};
        bench.measure(out, 0.5, [&] {
            for (int i = 0; i < reads; ++i) {
                at = lines[at].next;
            }
        });
        out.counters["last_line"] = at;  // so that no read can be optimised away
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> memory_benchmarks() {
    return {{"memory", "reads that wait for each other", &bench_memory}};
}

}  // namespace berth::experiments
