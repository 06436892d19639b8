/// worst-fit: the server on which the pod leaves the largest sum of free shares over all resources.
/// Source: the classic heuristic; the mirror of best-fit.
/// Limits: at most 100 resources.

#include "core/index/scorer.hpp"
#include "core/scorers/shares.hpp"

namespace berth::core {
namespace {

class WorstFit final : public Scorer {
public:
    std::int64_t score(std::span<const Amount> capacity,
                       std::span<const Amount> available,
                       std::span<const Amount> demand) const override {
        std::int64_t left = 0;
        for (std::size_t r = 0; r < demand.size(); ++r) {
            left += share(available[r] - demand[r], capacity[r]);
        }
        return left;
    }
};

}  // namespace

std::unique_ptr<Scorer> make_worst_fit() {
    return std::make_unique<WorstFit>();
}

}  // namespace berth::core
