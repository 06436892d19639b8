#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/report/answer.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/sweep_tables.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/results/verdict.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

/// A set of points that are equal on the chosen axes, with its name.
struct Candidate {
    std::string name;
    std::vector<std::size_t> points;
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

/// For each replication, the mean over some points.
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

/// Groups the finished points by their values on the chosen axes. All candidates cover the same
/// values of the other axes; those that lack some are left out.
std::vector<Candidate> candidates_by(const SweepDirectory& sweep,
                                     const std::vector<std::size_t>& chosen) {
    using Place = std::vector<std::size_t>;
    std::map<Place, std::pair<Candidate, std::set<Place>>> found;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        Place place;
        Place rest = sweep.points[p];
        std::string name;
        for (const std::size_t a : chosen) {
            place.push_back(rest[a]);
            name += fmt::format("{}{} {}",
                                name.empty() ? "" : ", ",
                                sweep.axes[a].name,
                                sweep.axes[a].values[std::exchange(rest[a], 0)]);
        }
        if (sweep.finished[p]) {
            auto& [candidate, others] = found[place];
            candidate.name = std::move(name);
            candidate.points.push_back(p);
            others.insert(std::move(rest));
        }
    }
    std::set<Place> most;
    for (const auto& [place, entry] : found) {
        most = entry.second.size() > most.size() ? entry.second : most;
    }
    std::vector<Candidate> out;
    for (auto& [place, entry] : found) {
        if (entry.second == most) {
            out.push_back(std::move(entry.first));
        }
    }
    return out;
}

/// Why a difference is not reliable; empty if it is beyond chance, or there is no verdict.
std::string_view doubt_about(Verdict verdict) {
    return verdict == Verdict::no_difference_shown ? "; chance may explain it"
           : verdict == Verdict::not_comparable
               ? "; not comparable, since more jobs never started at one of them"
               : "";
}

/// The best candidate, the next one, and their difference by replication, with the verdict that
/// berth compare gives on two points; null if nothing varies.
Maybe<"BestPoint"> best_of(const SweepDirectory& sweep,
                           const SweepMetric& metric,
                           const std::vector<Candidate>& candidates,
                           bool higher) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto values = averaged(sweep, metric, candidates[i].points);
        if (const auto mean = summed_up(metric.name, values).mean) {
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
    const auto value = number_json(
        quoted(summed_up(metric.name, averaged(sweep, metric, best.points)), metric.name));
    MetricSummary difference;
    difference.name = metric.name;
    difference.mean = order[equal].first - order[0].first;
    Verdict verdict = Verdict::too_few_pairs;
    const auto compared = compare_tables(table_of(sweep, best.points),
                                         table_of(sweep, next.points),
                                         alike(sweep, best.points[0], next.points[0]));
    const auto found = std::ranges::find(compared, metric.name, &MetricComparison::metric);
    if (found != compared.end()) {
        verdict = found->verdict;
        difference.mean = std::abs(found->difference.mean);
        if (found->difference.p) {
            difference.ci95 = found->difference.ci95;
        }
    }
    return object<"BestPoint">(field<"value">(of_type<"string">(value["value"])),
                               field<"interval">(of_type<"string">(value["interval"])),
                               field<"unit">(of_type<"string">(value["unit"])),
                               field<"at">(best.name),
                               field<"equal">(equal - 1),
                               field<"next">(next.name),
                               field<"by">(with_interval(quoted(difference, metric.name))),
                               field<"doubt">(doubt_about(verdict)));
}

/// Such as ` Without backfill, which lacks points that the others have.`; empty if no value is left
/// out.
std::string left_out_text(const SweepDirectory& sweep,
                          const std::vector<Candidate>& compared,
                          std::size_t axis) {
    std::vector<std::string> out = sweep.axes[axis].values;
    std::erase_if(out, [&](const std::string& value) {
        const std::string name = sweep.axes[axis].name + " " + value;
        return std::ranges::find(compared, name, &Candidate::name) != compared.end();
    });
    return out.empty() ? ""
                       : fmt::format(" Without {}, which {} points that the others have.",
                                     core::join(out, ", "),
                                     out.size() == 1 ? "lacks" : "lack");
}

/// The mean of each metric over all points, from which the headline is chosen.
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

/// Such as `Mean wait is lowest with policy backfill: 12.1 ± 0.4 min; next is policy fifo, 2.7 ±
/// 0.5 min more.`
std::string average_text(const std::string& title, bool higher, const Json& best) {
    const auto text = [&](const char* key) { return best[key].get<std::string>(); };
    const std::string interval = text("interval");
    return fmt::format("{} is {} with {}: {}{} {}; next is {}, {} {}{}.",
                       title,
                       higher ? "highest" : "lowest",
                       text("at"),
                       text("value"),
                       interval.empty() ? "" : " ± " + interval,
                       text("unit"),
                       text("next"),
                       text("by"),
                       higher ? "less" : "more",
                       text("doubt"));
}

/// The direction in which a metric is better among points that differ in some axes.
Direction side_among(const SweepDirectory& sweep,
                     const std::string& metric,
                     const std::vector<std::size_t>& axes) {
    const bool clusters =
        std::ranges::any_of(axes, [&](std::size_t a) { return sweep.axes[a].changes_cluster(); });
    return clusters && is_share_of_cluster(metric) ? Direction::unknown : direction_of(metric);
}

/// Why no point is the best, if there are no `numbers`.
std::string nothing_best(bool chosen) {
    return chosen ? "No number with a better side differs between the points."
                  : "Every axis changes the work that comes, so that no point is the best: name a "
                    "target to see what meets it.";
}

}  // namespace

Is<"SweepAnswer"> sweep_answer(const SweepDirectory& sweep) {
    std::vector<Is<"BestPoint">> numbers;
    std::vector<std::string> averages;
    std::vector<std::size_t> chosen;
    std::string given;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        if (sweep.axes[a].varies() && !sweep.axes[a].is_given()) {
            chosen.push_back(a);
        } else if (sweep.axes[a].varies()) {
            given += (given.empty() ? "" : " and ") + sweep.axes[a].name;
        }
    }
    const std::vector<Candidate> points = candidates_by(sweep, chosen);
    for (const HeadlineNumber& number : headline(overall(sweep))) {
        const auto metric = std::ranges::find(sweep.metrics, number.metric, &SweepMetric::name);
        const std::string title = number_json(number)["title"];
        const auto best_by = [&](const std::vector<std::size_t>& axes,
                                 const std::vector<Candidate>& candidates) {
            const Direction side = side_among(sweep, number.metric, axes);
            return side == Direction::unknown
                       ? nullptr
                       : best_of(sweep, *metric, candidates, side == Direction::higher);
        };
        const bool higher = direction_of(number.metric) == Direction::higher;
        if (Json best = best_by(chosen, points); !best.is_null()) {
            add_to<"BestPoint">(
                best,
                field<"metric">(number.metric),
                field<"title">(fmt::format("{}, {}", title, higher ? "highest" : "lowest")),
                field<"more">(higher ? "less" : "more"));
            numbers.push_back(of_type<"BestPoint">(std::move(best)));
        }
        for (const std::size_t a : chosen) {
            if (sweep.axes[a].numeric() || chosen.size() == 1) {
                continue;
            }
            const std::vector<Candidate> values = candidates_by(sweep, {a});
            if (const Json average = best_by({a}, values); !average.is_null()) {
                averages.push_back(average_text(title, higher, average) +
                                   left_out_text(sweep, values, a));
            }
        }
    }
    return object<"SweepAnswer">(
        field<"question">(sweep_question(sweep)),
        field<"given">(given),
        field<"nothing">(numbers.empty() ? nothing_best(!chosen.empty()) : ""),
        field<"numbers">(numbers),
        field<"averages">(averages),
        field<"warnings">(sweep.warnings));
}

}  // namespace berth::report
