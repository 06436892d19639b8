/// first-fit: all servers on which the pod fits are equally good, so the first one in the tree
/// wins.
/// Source: the classic bin-packing heuristic.

#include "core/index/scorer.hpp"

namespace berth::core {
namespace {

class FirstFit final : public Scorer {
public:
    std::int64_t score(std::span<const Amount> /*capacity*/,
                       std::span<const Amount> /*available*/,
                       std::span<const Amount> /*demand*/) const override {
        return 0;
    }
};

}  // namespace

std::unique_ptr<Scorer> make_first_fit() {
    return std::make_unique<FirstFit>();
}

}  // namespace berth::core
