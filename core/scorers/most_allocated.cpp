/// most-allocated: the mean, over the resources that the pod asks for, of the share that is used
/// after the pod is placed, from 0 to 100 in whole points.
/// Source: kube-scheduler, NodeResourcesFit, scoringStrategy MostAllocated (weights 1).
/// Limits: the real plug-in always weighs CPU and memory, even when the pod asks for neither.

#include "core/index/scorer.hpp"
#include "core/scorers/shares.hpp"

namespace berth::core {
namespace {

class MostAllocated final : public Scorer {
public:
    std::int64_t score(std::span<const Amount> capacity,
                       std::span<const Amount> available,
                       std::span<const Amount> demand) const override {
        std::int64_t points = 0;
        std::int64_t weights = 0;
        for (std::size_t r = 0; r < demand.size(); ++r) {
            if (demand[r] > 0) {
                const Amount used = capacity[r] - available[r] + demand[r];
                points += share(used, capacity[r]) * 100 / full_share;
                ++weights;
            }
        }
        return weights == 0 ? 0 : points / weights;
    }
};

}  // namespace

std::unique_ptr<Scorer> make_most_allocated() {
    return std::make_unique<MostAllocated>();
}

}  // namespace berth::core
