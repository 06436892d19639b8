/// cycle: the full scheduling cycle of one pod, from filter to reserve, on a cluster in which pods
/// come and go. Each unit of work schedules a pod, and releases the one that came 64 pods before.

#include <algorithm>
#include <deque>

#include "core/index/scorer.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "sim/clock/random.hpp"
#include "sim/profile/placer.hpp"
#include "workloads/background.hpp"

namespace berth::experiments {
namespace {

void bench_cycle(const Bench& bench) {
    for (const std::uint32_t servers : bench.sizes({1'024, 16'384, 131'072, 1'048'576})) {
        core::Ledger ledger(uniform_tree({{"room", servers / 512}, {"rack", 32}, {"server", 16}},
                                         {{"cpu", 64'000}, {"memory", core::Amount{256} << 30}}));
        const workloads::BackgroundLoad load{
            .load = 0.5, .full = 0.1, .idle = 0.1, .variation = 0.5};
        workloads::apply_background(ledger, load, 1, "background");
        sim::Profile profile;
        const auto best_fit =
            std::ranges::find(core::scorers(), "best-fit", &core::ScorerEntry::name);
        profile.score = {{best_fit->make(), 1}};
        sim::Cluster cluster(ledger, profile.inside);
        sim::Placer placer(profile, cluster, false);
        sim::Job small;
        small.demand = {2'000, core::Amount{8} << 30};
        sim::Job large;
        large.demand = {8'000, core::Amount{16} << 30};
        std::deque<std::pair<const sim::Job*, core::ServerId>> running;
        std::uint64_t step = 0;
        Measurement out{"cycle", servers, "schedule one pod, release another", 0, 0, 0, {}};
        bench.measure(out, 0.5, [&] {
            const sim::Job& job = ++step % 3 == 0 ? large : small;
            const sim::Attempt attempt = placer.find(job, 1);
            if (attempt.found) {
                (void)cluster.claim(job, attempt.servers, attempt.placement);
                running.emplace_back(&job,
                                     ledger.topology().server_of(attempt.servers.front().node));
            }
            if (running.size() > 64) {
                cluster.release(*running.front().first, running.front().second, 1, {});
                running.pop_front();
            }
        });
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> cycle_benchmarks() {
    return {{"cycle", "one pod's full scheduling cycle", &bench_cycle}};
}

}  // namespace berth::experiments
