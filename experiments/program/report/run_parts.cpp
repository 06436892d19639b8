#include "experiments/program/report/run_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/paid_resource.hpp"

namespace berth::report {
namespace {

/// For each resource, the amounts of these cells or members, which `amount` gives by resource.
template <class Element, class Amounts>
std::vector<Is<"number | number[]">> by_resource(std::size_t resources,
                                                 const std::vector<Element>& elements,
                                                 Amounts amounts) {
    return list_of(std::views::iota(std::size_t{0}, resources), [&](std::size_t r) {
        return of_type<"number | number[]">(
            folded(list_of(elements, [&](const Element& one) { return (one.*amounts)[r]; })));
    });
}

/// The amounts by resource are missing if they are not known.
Is<"Members"> members_data(const std::vector<ClusterView::Members>& members,
                           std::size_t resource_count) {
    using Members = ClusterView::Members;
    std::optional<std::vector<Is<"number | number[]">>> amounts;
    if (!members.empty() &&
        std::ranges::none_of(members, &std::vector<double>::empty, &Members::amount)) {
        amounts = by_resource(resource_count, members, &Members::amount);
    }
    return object<"Members">(field<"cells">(list_of(members, &Members::cell)),
                             field<"counts">(list_of(members, &Members::count)),
                             field_if_known<"amounts">(std::move(amounts)));
}

Is<"ClusterView"> view_data(const ClusterView& view, std::size_t resource_count) {
    return object<"ClusterView">(field<"label">(view.label),
                                 field<"time">(rounded(view.time_s)),
                                 field<"count">(view.count),
                                 field<"members">(members_data(view.members, resource_count)),
                                 field<"others">(members_data(view.others, resource_count)));
}

Is<"Metric"> metric_data(const MetricSummary& metric) {
    const bool all_started = !(metric.never_started.value_or(0) > 0);
    return object<"Metric">(
        field<"name">(metric.name),
        field<"mean">(rounded(metric.mean)),
        field<"ci95">(rounded(metric.ci95)),
        field<"sd">(rounded(metric.sd)),
        field<"min">(rounded(metric.min)),
        field<"max">(rounded(metric.max)),
        field<"atLeast">(rounded(metric.at_least)),
        field<"n">(metric.count),
        field_if_known<"neverStarted">(
            all_started ? std::nullopt : std::optional(rounded(*metric.never_started))));
}

Is<"WrittenSeriesRun"> series_run(const ReplicationSeries& all, std::size_t points) {
    const ReplicationSeries kept = downsample(all, points / 2 - 1);
    return object<"WrittenSeriesRun">(field<"replication">(kept.replication),
                                      field<"rows">(all.time_s.size()),
                                      field<"points">(kept.time_s.size()),
                                      field<"time">(packed_numbers(kept.time_s)),
                                      field<"values">(list_of(kept.values, packed_numbers)));
}

Is<"WrittenSeriesBand"> series_band(const SeriesBand& band) {
    return object<"WrittenSeriesBand">(field<"points">(band.time_s.size()),
                                       field<"time">(packed_numbers(band.time_s)),
                                       field<"mean">(list_of(band.mean, packed_numbers)),
                                       field<"low">(list_of(band.low, packed_numbers)),
                                       field<"high">(list_of(band.high, packed_numbers)));
}

}  // namespace

std::vector<Is<"Metric">> metrics_data(const RunDirectory& run) {
    return list_of(run.metrics, metric_data);
}

Is<"Distribution"> distribution_data(std::string_view of,
                                     const Distribution& d,
                                     std::size_t going_on) {
    return object<"Distribution">(
        field<"of">(of),
        field<"name">(d.name),
        field<"n">(d.count),
        field<"goingOn">(going_on),
        field<"mean">(rounded_if_any(d.mean)),
        field<"sd">(rounded(d.sd)),
        field<"ci95">(rounded(d.ci95)),
        field<"box">(row<"Box">(field<"min">(rounded(d.min)),
                                field<"lowerQuartile">(rounded(d.lower_quartile)),
                                field<"median">(rounded(d.median)),
                                field<"upperQuartile">(rounded(d.upper_quartile)),
                                field<"max">(rounded(d.max)))),
        field<"p95">(rounded(d.p95)),
        field<"from">(rounded(d.histogram.from)),
        field<"width">(rounded(d.histogram.width)),
        field<"whole">(d.histogram.whole),
        field<"counts">(d.histogram.counts));
}

std::vector<Is<"Cumulative">> cumulatives_data(const RunDirectory& run, std::size_t points) {
    return list_of(run.pod_samples, [points](const Samples& samples) {
        const Cumulative curve = make_cumulative(samples, points);
        return object<"Cumulative">(field<"name">(samples.name),
                                    field<"n">(samples.values.size() + samples.going_on.size()),
                                    field<"goingOn">(samples.going_on.size()),
                                    field<"neverStarted">(rounded(samples.never_started_share())),
                                    field<"value">(rounded_list(curve.value)),
                                    field<"share">(rounded_list(curve.share)));
    });
}

Maybe<"WrittenSeries"> series_data(const TimeSeries& all,
                                   std::size_t values_max,
                                   std::size_t shown_max) {
    if (all.replications.empty() || all.columns.empty()) {
        return nullptr;
    }
    const bool several = all.replications.size() > 1;
    const std::size_t shown =
        std::min(several ? shown_max : std::size_t{1}, all.replications.size());
    const std::size_t lines = all.columns.size() * (shown + (several ? 3 : 0));
    const std::size_t points = std::clamp<std::size_t>(values_max / lines, 100, 2000);
    std::optional<Is<"WrittenSeriesBand">> band;
    if (several) {
        band = series_band(join_replications(all, std::min<std::size_t>(points, 1000)));
    }
    return object<"WrittenSeries">(field<"columns">(all.columns),
                                   field<"count">(all.replications.size()),
                                   field<"runs">(list_of(std::span(all.replications).first(shown),
                                                         [points](const ReplicationSeries& one) {
                                                             return series_run(one, points);
                                                         })),
                                   field_if_known<"band">(std::move(band)));
}

Is<"ClusterShape"> cluster_shape(const Cluster& cluster) {
    const bool joined = cluster.servers != cluster.cells.size();
    return object<"ClusterShape">(
        field<"levels">(cluster.levels),
        field<"leaf">(cluster.leaf),
        field<"servers">(cluster.servers),
        field<"resources">(cluster.resources),
        field<"paid">(paid_resource(cluster.resources)),
        field<"domains">(list_of(cluster.domains,
                                 [](const std::vector<Domain>& level) {
                                     return object<"Domains">(
                                         field<"names">(list_of(level, &Domain::name)),
                                         field<"parents">(list_of(level, &Domain::parent)));
                                 })),
        field<"names">(list_of(cluster.cells, &Cell::name)),
        field<"parents">(list_of(cluster.cells, &Cell::parent)),
        field_if_known<"serversPerCell">(
            joined ? std::optional(list_of(cluster.cells, &Cell::servers)) : std::nullopt),
        field<"capacity">(by_resource(cluster.resources.size(), cluster.cells, &Cell::capacity)),
        field<"background">(
            by_resource(cluster.resources.size(), cluster.cells, &Cell::background)));
}

Is<"Cluster"> cluster_data(const Cluster& cluster) {
    Is<"ClusterShape"> out = cluster_shape(cluster);
    add_to<"ClusterViews">(out,
                           field<"member">(cluster.member),
                           field<"views">(list_of(cluster.views, [&](const ClusterView& view) {
                               return view_data(view, cluster.resources.size());
                           })));
    return of_type<"Cluster">(std::move(out));
}

Is<"MiddleBand"> band_data(const MiddleBand& band) {
    return object<"MiddleBand">(field<"median">(rounded_list(band.median)),
                                field<"low">(rounded_list(band.low)),
                                field<"high">(rounded_list(band.high)));
}

Maybe<"Arrival"> arrival_data(const RunDirectory& run) {
    const auto series = arrival_series(run.series);
    if (!series) {
        return nullptr;
    }
    nlohmann::ordered_json classes;
    for (std::size_t part = 0; part < fragment_columns.size(); ++part) {
        classes[fragment_columns[part]] = rounded_list(series->class_pct[part]);
    }
    return object<"Arrival">(
        field<"arrived">(series->arrived_pct),
        field<"unallocated">(band_data(series->unallocated_pct)),
        field<"ratio">(band_data(series->frag_ratio_pct)),
        field<"classes">(of_type<"Record<string, number[]>">(std::move(classes))));
}

}  // namespace berth::report
