#include "workloads/background.hpp"

#include <algorithm>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <vector>

namespace berth::workloads {
namespace {

constexpr core::Amount gibibyte = core::Amount{1} << 30;

/// The step in which background amounts are drawn.
core::Amount step_of(const core::ResourceSchema& resources, std::size_t resource) {
    return resources.unit(resource) == "bytes" ? gibibyte : resources.per_unit(resource);
}

core::Amount amount_of(double share, core::Amount capacity, core::Amount step) {
    const double steps = share * (static_cast<double>(capacity) / static_cast<double>(step));
    // std::round rounds half away from zero, as the published program does.
    const double whole = std::round(steps);
    if (whole >= static_cast<double>(capacity) / static_cast<double>(step)) {
        return capacity;
    }
    return std::clamp<core::Amount>(static_cast<core::Amount>(whole) * step, 0, capacity);
}

}  // namespace

void apply_background(core::Ledger& ledger, const BackgroundLoad& load, sim::RandomBits& bits) {
    const core::Topology& tree = ledger.topology();
    const std::size_t resources = ledger.resource_count();
    const double extremes = load.full + load.idle;
    const double average =
        extremes >= 1 ? 0 : std::clamp((load.load - load.full) / (1 - extremes), 0.0, 1.0);
    boost::random::uniform_01<double> uniform;
    boost::random::normal_distribution<double> normal;
    std::vector<core::Amount> amounts(resources);
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const core::ServerId server{index};
        const double x = uniform(bits);
        double share = x < load.full ? 1 : 0;
        if (x >= extremes) {
            share = std::clamp(average * (normal(bits) * load.variation + 1), 0.0, 1.0);
        }
        const auto capacity = ledger.capacity(tree.node_of(server));
        for (std::size_t resource = 0; resource < resources; ++resource) {
            amounts[resource] =
                amount_of(share, capacity[resource], step_of(tree.resources(), resource));
        }
        ledger.occupy(server, amounts);
    }
}

}  // namespace berth::workloads
