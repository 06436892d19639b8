#include "sim/profile/placer.hpp"

namespace berth::sim {

std::optional<core::Violation> Placer::find_violation() {
    cluster_.inside().catch_up();
    for (auto& [pod, shape] : shapes_) {
        if (shape.fits) {
            shape.fits->catch_up();
            if (auto violation = shape.fits->find_violation()) {
                return violation;
            }
        }
        if (shape.scores) {
            shape.scores->catch_up();
            if (auto violation = shape.scores->find_violation()) {
                return violation;
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
