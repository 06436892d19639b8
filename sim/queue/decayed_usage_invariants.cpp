#include <fmt/format.h>

#include "sim/queue/decayed_usage.hpp"

namespace berth::sim {

std::optional<core::Violation> DecayedUsage::find_violation(std::span<const Running> all) const {
    std::map<std::uint32_t, Use> expected;
    for (const Running& running : all) {
        add(expected[running.owner], running.demand, running.pods);
    }
    for (const auto& [owner, use] : uses_) {
        expected.try_emplace(owner);
    }
    for (const auto& [owner, use] : expected) {
        const auto known = uses_.find(owner);
        const Wide found = known == uses_.end() ? 0 : known->second.rate;
        if (found != use.rate) {
            return core::Violation{"an owner's usage grows by what its pods have",
                                   fmt::format("owner {}", owner),
                                   fmt::format("{}", static_cast<std::int64_t>(found)),
                                   fmt::format("{}", static_cast<std::int64_t>(use.rate))};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
