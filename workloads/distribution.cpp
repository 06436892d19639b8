#include "workloads/distribution.hpp"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/lognormal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/weibull_distribution.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace berth::workloads {
namespace {

double draw_empirical(const Distribution& distribution, sim::RandomBits& bits) {
    const double u = boost::random::uniform_01<double>()(bits);
    const auto& values = distribution.values;
    if (distribution.weights.empty()) {
        const auto index = static_cast<std::size_t>(u * static_cast<double>(values.size()));
        return values[std::min(index, values.size() - 1)];
    }
    const auto& weights = distribution.weights;
    double left = u * std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        left -= weights[i];
        if (left < 0) {
            return values[i];
        }
    }
    return values.back();
}

}  // namespace

double Distribution::draw(sim::RandomBits& bits) const {
    switch (kind) {
        case DistributionKind::constant:
            break;
        case DistributionKind::uniform:
            return a + (b - a) * boost::random::uniform_01<double>()(bits);
        case DistributionKind::exponential:
            return boost::random::exponential_distribution<double>(1 / a)(bits);
        case DistributionKind::log_normal: {
            const double variance = std::log(1 + b * b);
            return boost::random::lognormal_distribution<double>(std::log(a) - variance / 2,
                                                                 std::sqrt(variance))(bits);
        }
        case DistributionKind::weibull:
            return boost::random::weibull_distribution<double>(a, b)(bits);
        case DistributionKind::pareto:
            // 1 - U is in (0, 1], so the power is finite.
            return b * std::pow(1 - boost::random::uniform_01<double>()(bits), -1 / a);
        case DistributionKind::empirical:
            return draw_empirical(*this, bits);
    }
    return a;
}

double Distribution::mean() const {
    switch (kind) {
        case DistributionKind::constant:
        case DistributionKind::exponential:
        case DistributionKind::log_normal:
            break;
        case DistributionKind::uniform:
            return (a + b) / 2;
        case DistributionKind::weibull:
            return b * std::tgamma(1 + 1 / a);
        case DistributionKind::pareto:
            return a > 1 ? a * b / (a - 1) : std::numeric_limits<double>::infinity();
        case DistributionKind::empirical: {
            if (weights.empty()) {
                return std::accumulate(values.begin(), values.end(), 0.0) /
                       static_cast<double>(values.size());
            }
            return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) /
                   std::accumulate(weights.begin(), weights.end(), 0.0);
        }
    }
    return a;
}

}  // namespace berth::workloads
