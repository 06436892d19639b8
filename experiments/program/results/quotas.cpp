#include "experiments/program/results/quotas.hpp"

#include <algorithm>
#include <array>

#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {

bool Quota::special() const {
    return name == "koordinator-system-quota" || name == "koordinator-default-quota";
}

std::uint32_t Quotas::find(std::string_view name) const {
    const auto found = std::ranges::find(quotas, name, &Quota::name);
    return found == quotas.end() ? no_quota : static_cast<std::uint32_t>(found - quotas.begin());
}

QuotaFigures figures_of(const std::vector<QuotaStep>& steps, double end_s) {
    struct Mean {
        double sum = 0;
        double time_s = 0;
        void add(double value, double for_s) {
            if (value == value) {
                sum += value * for_s;
                time_s += for_s;
            }
        }
        [[nodiscard]] std::optional<double> get(double fallback) const {
            if (time_s > 0) {
                return sum / time_s;
            }
            return fallback == fallback ? std::optional(fallback) : std::nullopt;
        }
    };
    Mean used;
    Mean min;
    Mean max;
    QuotaFigures out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const QuotaStep& step = steps[i];
        if (!step.there()) {
            continue;
        }
        const double until = i + 1 < steps.size() ? steps[i + 1].time_s : end_s;
        const double for_s = std::max(0.0, until - step.time_s);
        used.add(step.used, for_s);
        min.add(step.min, for_s);
        max.add(step.max, for_s);
        out.there_s += for_s;
        out.over_min_s += step.borrowed() > 0 ? for_s : 0;
        out.over_use_s += step.over_use() > 0 ? for_s : 0;
        out.borrowed_h += step.borrowed() * for_s / 3600;
        out.borrowed_most = std::max(out.borrowed_most, step.borrowed());
        out.over_use_most = std::max(out.over_use_most, step.over_use());
    }
    // A single sample has no weight in the mean, but it is all that is known.
    const auto last = std::ranges::find_if(steps.rbegin(), steps.rend(), &QuotaStep::there);
    const QuotaStep fallback = last == steps.rend() ? QuotaStep{} : *last;
    out.used_mean = used.get(fallback.used);
    out.min_mean = min.get(fallback.min);
    out.max_mean = max.get(fallback.max);
    return out;
}

const QuotaStep* step_at(const std::vector<QuotaStep>& steps, double time_s) {
    const auto after = std::ranges::upper_bound(steps, time_s, {}, &QuotaStep::time_s);
    return after == steps.begin() ? nullptr : &*std::prev(after);
}

std::vector<QuotaStep> thinned(const std::vector<QuotaStep>& steps, std::size_t points) {
    if (steps.size() <= points) {
        return steps;
    }
    constexpr std::array amounts{&QuotaStep::min,
                                 &QuotaStep::max,
                                 &QuotaStep::runtime,
                                 &QuotaStep::request,
                                 &QuotaStep::used};
    ReplicationSeries series{0, {}, std::vector<std::vector<double>>(amounts.size())};
    for (const QuotaStep& step : steps) {
        series.time_s.push_back(step.time_s);
        for (std::size_t c = 0; c < amounts.size(); ++c) {
            series.values[c].push_back(step.*amounts[c]);
        }
    }
    series = downsample(series, std::max<std::size_t>(points / 2, 2) - 1);
    std::vector<QuotaStep> out(series.time_s.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].time_s = series.time_s[i];
        for (std::size_t c = 0; c < amounts.size(); ++c) {
            out[i].*amounts[c] = series.values[c][i];
        }
    }
    return out;
}

QuotaChoice usual_choice(const Quotas& quotas) {
    const std::size_t paid = paid_resource(quotas.resources);
    for (std::uint32_t q = 1; q < quotas.quotas.size(); ++q) {
        const QuotaFigures figures = figures_of(quotas.quotas[q].steps[paid], quotas.last_s);
        if (figures.min_mean.value_or(0) > 0 && figures.borrowed_h > 0) {
            return {q, paid};
        }
    }
    return {quotas.quotas.size() > 1 ? 1U : 0U, paid};
}

}  // namespace berth::report
