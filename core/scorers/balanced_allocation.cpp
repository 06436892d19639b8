/// balanced-allocation: how equal the used shares of the requested resources are after the pod is
/// placed. It is 100 points where all are equal, less their standard deviation in points, which is
/// at most 50.
/// Source: kube-scheduler, NodeResourcesBalancedAllocation.
/// Limits: by default the real plug-in looks at CPU and memory alone, whatever else the pod asks
///         for. Here, all servers are alike for a pod that asks for one resource.

#include <cstdint>

#include "core/index/scorer.hpp"
#include "core/scorers/shares.hpp"

namespace berth::core {
namespace {

/// The greatest integer whose square is at most `square`.
std::int64_t root_of(std::int64_t square) {
    std::int64_t root = 0;
    for (std::int64_t bit = full_share; bit > 0; bit /= 2) {
        if ((root + bit) * (root + bit) <= square) {
            root += bit;
        }
    }
    return root;
}

class BalancedAllocation final : public Scorer {
public:
    std::int64_t score(std::span<const Amount> capacity,
                       std::span<const Amount> available,
                       std::span<const Amount> demand) const override {
        const auto used = [&](std::size_t r) {
            return full_share - share(available[r] - demand[r], capacity[r]);
        };
        std::int64_t sum = 0;
        std::int64_t count = 0;
        for (std::size_t r = 0; r < demand.size(); ++r) {
            if (demand[r] > 0) {
                sum += used(r);
                ++count;
            }
        }
        if (count < 2) {
            return 100;
        }
        const std::int64_t mean = sum / count;
        std::int64_t squares = 0;
        for (std::size_t r = 0; r < demand.size(); ++r) {
            if (demand[r] > 0) {
                squares += (used(r) - mean) * (used(r) - mean);
            }
        }
        // Shares are rounded down. This much is added so that whole points stay whole.
        constexpr std::int64_t rounding = 2;
        return (full_share + rounding - root_of(squares / count)) * 100 / full_share;
    }
};

}  // namespace

std::unique_ptr<Scorer> make_balanced_allocation() {
    return std::make_unique<BalancedAllocation>();
}

}  // namespace berth::core
