/// build: a whole topology of five levels below the cluster, from its description.

#include "experiments/bench/benchmark.hpp"
#include "experiments/bench/uniform_tree.hpp"

namespace berth::experiments {

void bench_build(const std::function<void(const Measurement&)>& done) {
    for (const std::uint32_t racks : {1U, 16U, 256U, 2'048U}) {
        const std::uint32_t servers = racks * 512;
        Measurement out{"build", servers, "generate the tree", 0, 0, 0, {}};
        measure(out, 1.0, [&] {
            const auto tree = uniform_tree(
                {{"region", 2}, {"zone", 2}, {"room", 8}, {"rack", racks}, {"server", 16}},
                {{"cpu", 16'000}, {"memory", core::Amount{256} << 30}});
            out.counters["nodes"] = tree->node_count();
        });
        done(out);
    }
}

}  // namespace berth::experiments
