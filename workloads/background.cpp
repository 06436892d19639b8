#include "workloads/background.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/support/rounded_math.hpp"
#include "sim/clock/random.hpp"

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

void apply_background(core::Ledger& ledger,
                      const BackgroundLoad& load,
                      std::uint64_t seed,
                      std::string_view name) {
    const core::Topology& tree = ledger.topology();
    const std::size_t resources = ledger.resource_count();
    const double extremes = load.full + load.idle;
    const double average =
        extremes >= 1 ? 0 : std::clamp((load.load - load.full) / (1 - extremes), 0.0, 1.0);
    const sim::RandomSeries kinds(seed, fmt::format("background/{}/kind", name));
    const sim::RandomSeries shares(seed, fmt::format("background/{}/share", name));
    std::vector<core::Amount> amounts(resources);
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const core::ServerId server{index};
        const double x = kinds.uniform(index);
        double share = x < load.full ? 1 : 0;
        if (x >= extremes) {
            const double normal = core::rounded_normal_quantile(shares.uniform(index));
            share = std::clamp(average * (normal * load.variation + 1), 0.0, 1.0);
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
