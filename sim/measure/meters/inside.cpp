#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/cluster/inside/inside.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {

std::unique_ptr<Meter> make_inside_meter(const Metered& run) {
    return run.cluster.inside().meter(run.settings.window);
}

void sampled_by_inside(const core::Topology& tree,
                       const Profile& profile,
                       std::vector<std::string>& names) {
    std::ranges::copy(sampled_inside(tree, profile.inside), std::back_inserter(names));
}

}  // namespace berth::sim
