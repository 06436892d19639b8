#include "workloads/distribution.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/support/rounded_math.hpp"

namespace berth::workloads {
namespace {

double empirical_quantile(const Distribution& distribution, double u) {
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

double Distribution::quantile(double u) const {
    switch (kind) {
        case DistributionKind::constant:
            break;
        case DistributionKind::uniform:
            return a + (b - a) * u;
        case DistributionKind::exponential:
            return -a * core::rounded_log1p(-u);
        case DistributionKind::log_normal: {
            const double variance = core::rounded_log(1 + b * b);
            const double normal = core::rounded_normal_quantile(u);
            return core::rounded_exp(core::rounded_log(a) - variance / 2 +
                                     std::sqrt(variance) * normal);
        }
        case DistributionKind::weibull:
            return b * core::rounded_pow(-core::rounded_log1p(-u), 1 / a);
        case DistributionKind::pareto:
            return b * core::rounded_pow(1 - u, -1 / a);
        case DistributionKind::empirical:
            return empirical_quantile(*this, u);
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
            return b * core::rounded_gamma(1 + 1 / a);
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
