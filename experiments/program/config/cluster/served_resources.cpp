#include "experiments/program/config/cluster/served_resources.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/support/source.hpp"

namespace berth::experiments {

ServedResources::ServedResources(const core::Topology& tree) {
    std::vector<bool> used(tree.machine_types().size());
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        used[tree.machine_type_index(core::ServerId{server})] = true;
    }
    for (std::size_t resource = 0; resource < tree.resources().size(); ++resource) {
        const auto row = static_cast<Eigen::Index>(resource);
        for (std::size_t type = 0; type < used.size(); ++type) {
            if (used[type] && tree.machine_types()[type].capacity(row) > 0) {
                names_.push_back(tree.resources().name(resource));
                break;
            }
        }
    }
}

bool ServedResources::has(std::string_view resource) const {
    return std::ranges::find(names_, resource) != names_.end();
}

std::string ServedResources::hint(std::string_view resource) const {
    return core::suggestion(resource, names_);
}

}  // namespace berth::experiments
