#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/report/answer.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/tables/metric_table.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

/// A point, or all points with one value of an axis: its name, and a value a replication, NaN where
/// there is none.
struct Candidate {
    std::string name;
    std::vector<double> values;
};

MetricSummary summed_up(const std::string& metric, const std::vector<double>& values) {
    Samples known{metric, {}};
    std::ranges::copy_if(
        values, std::back_inserter(known.values), [](double v) { return !std::isnan(v); });
    MetricSummary out;
    out.name = metric;
    if (!known.values.empty()) {
        const Distribution d = describe_replications(known);
        out.mean = d.mean;
        out.ci95 = d.ci95;
        out.count = static_cast<std::int64_t>(d.count);
    }
    return out;
}

/// The values of the replications, each the mean over some points.
std::vector<double> averaged(const SweepDirectory& sweep,
                             const SweepMetric& metric,
                             const std::vector<std::size_t>& points) {
    const std::size_t count = sweep.replications.size();
    std::vector<double> out;
    for (std::size_t r = 0; r < count; ++r) {
        const double sum =
            std::accumulate(points.begin(), points.end(), 0.0, [&](double before, std::size_t p) {
                return before + metric.values[p * count + r];
            });
        out.push_back(sum / static_cast<double>(points.size()));
    }
    return out;
}

bool varies(const SweepAxis& axis) {
    return axis.values.size() > 1;
}

std::string point_name(const SweepDirectory& sweep, std::size_t point) {
    std::string out;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        if (varies(sweep.axes[a])) {
            out += fmt::format("{}{} {}",
                               out.empty() ? "" : ", ",
                               sweep.axes[a].name,
                               sweep.axes[a].values[sweep.points[point][a]]);
        }
    }
    return out;
}

/// The best candidate, the next one, and their difference by replication; nothing where nothing
/// varies.
Json best_of(const std::string& metric,
             std::vector<Candidate> candidates,
             bool higher,
             bool common_seeds) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (const auto mean = summed_up(metric, candidates[i].values).mean) {
            order.emplace_back(higher ? -*mean : *mean, i);
        }
    }
    std::ranges::sort(order);
    if (order.size() < 2 || order.front().first == order.back().first) {
        return nullptr;
    }
    const Candidate& best = candidates[order[0].second];
    const std::size_t equal = static_cast<std::size_t>(std::ranges::count_if(
        order, [&](const auto& one) { return one.first == order.front().first; }));
    const Candidate& next = candidates[order[equal].second];
    const Json value = number_json(quoted(summed_up(metric, best.values), metric));
    std::vector<double> differences;
    for (std::size_t r = 0; r < best.values.size(); ++r) {
        const double more = next.values[r] - best.values[r];
        differences.push_back(higher ? -more : more);
    }
    MetricSummary difference = summed_up(metric, differences);
    if (!common_seeds || !difference.mean) {
        difference = MetricSummary();
        difference.name = metric;
        difference.mean = order[equal].first - order[0].first;
    }
    return {{"value", value["value"]},
            {"interval", value["interval"]},
            {"unit", value["unit"]},
            {"at", best.name},
            {"equal", equal - 1},
            {"next", next.name},
            {"by", with_interval(quoted(difference, metric))},
            {"sure", difference.ci95 && *difference.mean > *difference.ci95}};
}

std::vector<Candidate> points_of(const SweepDirectory& sweep, const SweepMetric& metric) {
    std::vector<Candidate> out;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        if (sweep.finished[p]) {
            out.push_back({point_name(sweep, p), averaged(sweep, metric, {p})});
        }
    }
    return out;
}

/// Each value of an axis; those that lack some of the points that others have are left out.
std::vector<Candidate> values_of(const SweepDirectory& sweep,
                                 const SweepMetric& metric,
                                 std::size_t axis) {
    std::vector<std::vector<std::size_t>> points(sweep.axes[axis].values.size());
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        if (sweep.finished[p]) {
            points[sweep.points[p][axis]].push_back(p);
        }
    }
    std::size_t most = 0;
    for (const auto& list : points) {
        most = std::max(most, list.size());
    }
    std::vector<Candidate> out;
    for (std::size_t value = 0; value < points.size(); ++value) {
        if (points[value].size() == most) {
            out.push_back({sweep.axes[axis].values[value], averaged(sweep, metric, points[value])});
        }
    }
    return out;
}

/// ` Without backfill, which lacks points that the others have.`; empty where no value is left out.
std::string left_out_text(const SweepDirectory& sweep,
                          const std::vector<Candidate>& compared,
                          std::size_t axis) {
    std::vector<std::string> out = sweep.axes[axis].values;
    std::erase_if(out, [&](const std::string& value) {
        return std::ranges::find(compared, value, &Candidate::name) != compared.end();
    });
    return out.empty() ? ""
                       : fmt::format(" Without {}, which {} points that the others have.",
                                     core::join(out, ", "),
                                     out.size() == 1 ? "lacks" : "lack");
}

/// One mean a metric, over all points, for the choice of the headline.
std::vector<MetricSummary> overall(const SweepDirectory& sweep) {
    std::vector<MetricSummary> out;
    for (const SweepMetric& metric : sweep.metrics) {
        out.push_back(summed_up(metric.name, metric.values));
        if (!out.back().mean) {
            out.pop_back();
        }
    }
    return out;
}

std::string sweep_question(const SweepDirectory& sweep) {
    std::string axes;
    for (const SweepAxis& axis : sweep.axes) {
        axes += fmt::format("{}{} ({} value{})",
                            axes.empty() ? "" : (&axis == &sweep.axes.back() ? " and " : ", "),
                            axis.name,
                            axis.values.size(),
                            axis.values.size() == 1 ? "" : "s");
    }
    return fmt::format("What do {} change? {} point{}, {} replication{} each{}.",
                       axes,
                       sweep.points.size(),
                       sweep.points.size() == 1 ? "" : "s",
                       sweep.replications.size(),
                       sweep.replications.size() == 1 ? "" : "s",
                       sweep.seeds.empty() ? "" : ", with the same seeds at every point");
}

/// `Averaged over load: least mean wait with policy backfill, 12.1 ± 0.4 min; next is fifo, by 2.7
/// ± 0.5 min.`
std::string average_text(const std::string& axis,
                         const std::string& title,
                         bool higher,
                         const Json& best) {
    const auto text = [&](const char* key) { return best[key].get<std::string>(); };
    const std::string interval = text("interval");
    return fmt::format("{} is {} with {} {}: {}{} {}; next is {}, {} {}{}.",
                       title,
                       higher ? "highest" : "lowest",
                       axis,
                       text("at"),
                       text("value"),
                       interval.empty() ? "" : " ± " + interval,
                       text("unit"),
                       text("next"),
                       text("by"),
                       higher ? "less" : "more",
                       best["sure"].get<bool>() ? "" : ", which chance may explain");
}

}  // namespace

Json sweep_answer(const SweepDirectory& sweep) {
    Json numbers = Json::array();
    Json averages = Json::array();
    const bool common_seeds = !sweep.seeds.empty();
    for (const HeadlineNumber& number : headline(overall(sweep))) {
        const Direction side = direction_of(number.metric);
        const auto metric = std::ranges::find(sweep.metrics, number.metric, &SweepMetric::name);
        if (side == Direction::unknown || metric == sweep.metrics.end()) {
            continue;
        }
        const bool higher = side == Direction::higher;
        Json best = best_of(number.metric, points_of(sweep, *metric), higher, common_seeds);
        if (best.is_null()) {
            continue;
        }
        const std::string title = number_json(number)["title"];
        best["metric"] = number.metric;
        best["title"] = fmt::format("{}, {}", title, higher ? "highest" : "lowest");
        best["more"] = higher ? "less" : "more";
        numbers.push_back(std::move(best));
        for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
            if (sweep.axes[a].numeric() || !varies(sweep.axes[a]) || sweep.axes.size() == 1) {
                continue;
            }
            const std::vector<Candidate> values = values_of(sweep, *metric, a);
            const Json average = best_of(number.metric, values, higher, common_seeds);
            if (!average.is_null()) {
                averages.push_back(average_text(sweep.axes[a].name, title, higher, average) +
                                   left_out_text(sweep, values, a));
            }
        }
    }
    return {{"question", sweep_question(sweep)},
            {"numbers", std::move(numbers)},
            {"averages", std::move(averages)},
            {"warnings", sweep.warnings}};
}

}  // namespace berth::report
