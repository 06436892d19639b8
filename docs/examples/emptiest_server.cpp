/// emptiest-server: the server on which the scarcest of the resources that the pod asks for has the
/// largest free share after the pod.
/// Source: dominant shares as in Dominant Resource Fairness, taken of one server.

#include <algorithm>

#include "core/index/scorer.hpp"
#include "core/scorers/shares.hpp"

namespace berth::core {
namespace {

class EmptiestServer final : public Scorer {
public:
    std::int64_t score(std::span<const Amount> capacity,
                       std::span<const Amount> available,
                       std::span<const Amount> demand) const override {
        std::int64_t least = full_share;
        for (std::size_t r = 0; r < demand.size(); ++r) {
            if (demand[r] > 0) {
                least = std::min(least, share(available[r] - demand[r], capacity[r]));
            }
        }
        return 100 * least;  // from 0 to 100 x 2^20
    }
};

}  // namespace

std::unique_ptr<Scorer> make_emptiest_server() {
    return std::make_unique<EmptiestServer>();
}

}  // namespace berth::core
