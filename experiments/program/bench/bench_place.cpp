/// place/...: scenario A of the published program's measurements. Rooms have 8 racks of 16 servers
/// (at 480 servers, as in the paper, 3 rooms of 8 racks of 20). Servers have 16 units of one
/// resource, under the paper's background load. A group has 120 members of 2 units, with numFit
/// percolated.

#include <array>
#include <memory>

#include "core/index/fit_index.hpp"
#include "core/placement/placement_group.hpp"
#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "workloads/background.hpp"

namespace berth::experiments {
namespace {

using core::LevelConstraint;

/// A cluster in which groups come and go. Each unit of work places a group, claims it, and releases
/// the previous one, so that successive searches meet different clusters.
class Churn {
public:
    Churn(std::uint32_t servers, core::LevelConstraints constraints)
        : ledger_(tree_of(servers)), group_{120, std::move(constraints)} {
        const workloads::BackgroundLoad load{
            .load = 0.4, .full = 0.25, .idle = 0.125, .variation = 1.5};
        workloads::apply_background(ledger_, load, 1, "background");
        fits_ = std::make_unique<core::FitIndex>(ledger_, demand_, core::NumFit::percolated);
    }

    void step() {
        fits_->catch_up();
        core::LogicalTree placement = placer_.place(group_, *fits_);
        BERTH_ASSERT(placement.placed() == group_.size, "the scenario has room for the group");
        ledger_.claim(placement, demand_);
        ledger_.release(before_, demand_);
        before_ = std::move(placement);
    }
    [[nodiscard]] std::uint64_t visits() const { return placer_.visits(); }

private:
    static std::shared_ptr<const core::Topology> tree_of(std::uint32_t servers) {
        const std::uint32_t racks = 8;
        const std::uint32_t in_rack = servers == 480 ? 20 : 16;
        return uniform_tree(
            {{"room", servers / (racks * in_rack)}, {"rack", racks}, {"server", in_rack}},
            {{"cpu", 16'000}});
    }

    core::Ledger ledger_;
    core::GroupRequest group_;
    std::vector<core::Amount> demand_{2'000};
    std::unique_ptr<core::FitIndex> fits_;
    core::GroupPlacer placer_;
    core::LogicalTree before_;
};

void bench_place(const std::string& name,
                 bool spread_rack,
                 bool spread_server,
                 const Bench& bench) {
    for (const std::uint32_t servers : bench.sizes({480, 8'192, 131'072, 1'048'576})) {
        core::LevelConstraints constraints(4);
        LevelConstraint rack;
        rack.affinity = spread_rack ? core::Affinity::spread : core::Affinity::pack;
        constraints.set(core::Level{2}, rack);
        if (spread_server) {
            LevelConstraint server;
            server.affinity = core::Affinity::spread;
            constraints.set(core::Level{3}, server);
        }
        Churn churn(servers, std::move(constraints));
        Measurement out{name, servers, "place, claim and release a group of 120", 0, 0, 0, {}};
        const std::uint64_t visits = churn.visits();
        std::uint64_t steps = 0;
        bench.measure(out, 0.5, [&] {
            churn.step();
            ++steps;
        });
        out.counters["nodes_visited"] = (churn.visits() - visits) / steps;
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> place_benchmarks() {
    return {
        {"place/pack-rack",
         "place, claim and release a group",
         [](const Bench& bench) { bench_place("place/pack-rack", false, false, bench); }},
        {"place/spread-rack",
         "the same, spread over racks",
         [](const Bench& bench) { bench_place("place/spread-rack", true, false, bench); }},
        {"place/spread-rack+server",
         "the same, spread over racks and servers",
         [](const Bench& bench) { bench_place("place/spread-rack+server", true, true, bench); }}};
}

}  // namespace berth::experiments
