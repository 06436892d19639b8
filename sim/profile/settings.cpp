#include "sim/profile/settings.hpp"

#include <algorithm>

namespace berth::sim {

std::vector<core::ServerId> Settings::left_out() const {
    std::vector<core::ServerId> servers = absent;
    std::erase_if(servers, [this](core::ServerId server) {
        return std::ranges::any_of(node_changes, [server](const NodeChange& change) {
            return change.server == server && change.up;
        });
    });
    std::ranges::sort(servers);
    return servers;
}

}  // namespace berth::sim
