#include "sim/profile/server_selector.hpp"

#include <cstdint>
#include <limits>

namespace berth::sim {

std::optional<core::ServerId> ServerScorer::select(const Job& job, const core::PodIndex& index) {
    const std::span<const double> all = scores(job);
    std::optional<core::ServerId> best;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t server = 0; server < all.size(); ++server) {
        if (all[server] > highest && index.fits(core::ServerId{server})) {
            best = core::ServerId{server};
            highest = all[server];
        }
    }
    return best;
}

}  // namespace berth::sim
