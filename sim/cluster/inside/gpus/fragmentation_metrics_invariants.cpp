#include <fmt/format.h>

#include "sim/cluster/inside/gpus/fragmentation_metrics.hpp"

namespace berth::sim {

/// Checks the free GPUs of each class of fragments, as typical pods see each server now.
std::optional<core::Violation> FragmentationMetrics::find_violation() const {
    const FragmentationMetrics fresh(ledger_, fragmentation_, window_);
    for (std::size_t part = 0; part < sums_.size(); ++part) {
        if (sums_[part] != fresh.sums_[part]) {
            return core::Violation{"the free GPUs of each class of fragments are summed up",
                                   std::string(to_string(static_cast<core::FragmentClass>(part))),
                                   fmt::format("{}", sums_[part]),
                                   fmt::format("{}", fresh.sums_[part])};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
